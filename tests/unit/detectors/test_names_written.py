"""People in the notations of programs are found; what these name otherwise stays."""

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings

PEOPLE = [
    ("assignee={}", "femi.adeyemi"),
    ("owner: {}", "ozgur_yilmaz"),
    ("TODO({}): fix this", "ozgur.yilmaz"),
    ("// FIXME({}): later", "ngozi"),
    ('{{"assignee": "{}"}}', "femi.adeyemi"),
    ('reviewed_by = "{}"', "siobhan.mckenna"),
    ("cd /home/{}/src", "femi.adeyemi"),
    ("C:\\Users\\{}\\Desktop", "siobhan.mckenna"),
    ("approved-by: {}", "f.adeyemi"),
    ("user={}42 logged in", "marguerite.delacroix"),
    ("INSERT INTO guests VALUES (17, '{}', 'asthma');", "Marguerite Delacroix"),
    ("INSERT INTO t (a, b) VALUES (1, 'x'), (2, '{}');", "Oluwaseun Adeyemi"),
    ("UPDATE guests SET contact = '{}' WHERE id = 3", "Esperanza Quiroga"),
    ("SELECT * FROM guests WHERE doctor = '{}';", "Thandiwe Mokoena"),
    ("<name>{}</name>", "Esperanza Quiroga"),
    ('<customer id="3">{}</customer>', "Marguerite Delacroix"),
    ("<ns:author>{}</ns:author>", "Wenceslas Dobry"),
    ("<fullName>{}</fullName>", "Sigrid Haaland"),
]
NOBODY = """
owner=platform.team
user=app.service
assignee: none
name=com.acme.billing
user.name = x
login: main.py
author = package.json
name: nginx.conf
TODO(later): fix
TODO(v2.1): fix
NOTE(security): keys
login=auth.provider
name: django.contrib
user=spring.boot
user=read.only
INSERT INTO cities VALUES (1, 'New York'), (2, 'San Francisco'), (3, 'Buenos Aires');
INSERT INTO things VALUES (1, 'Blue Lamp', 'Red Chair');
UPDATE products SET label = 'Coffee Table' WHERE id = 3
INSERT INTO tools VALUES ('Ruby Rails', 'Apache Kafka')
<name>Blue Lamp</name>
<name>MySQL Server</name>
<name>Kitchen Table</name>
<author>Unknown Author</author>
<client>Mobile App</client>
cd /home/user.name/src
owner: release.manager
contact: support.desk
WHERE status = 'In Progress'
SET mode = 'Dark Mode'
type: kubernetes.io/tls
slug: green-lamp-2
name: my-first-post
image: redis-main
""".strip().split("\n")


@pytest.fixture(scope="module")
def detector() -> Detector:
    """Patterns and the name model."""
    return Detector(DetectorSettings(tier="fast"))


def _people(detector: Detector, texts: list[str]) -> list[list[str]]:
    return [
        [found.text for found in analysis.detections if found.entity_type == "PERSON"]
        for analysis in detector.analyse(texts)
    ]


def test_a_person_written_as_programs_do_is_found_whole(detector: Detector) -> None:
    """Logins behind a label, cells of statements, elements."""
    texts = [form.format(name) for form, name in PEOPLE]
    found = zip(PEOPLE, _people(detector, texts), strict=True)
    assert [row for row in found if not any(row[0][1] in each for each in row[1])] == []


def test_what_such_notations_name_otherwise_stays(detector: Detector) -> None:
    """Teams, packages, files, places, goods, slugs."""
    found = zip(NOBODY, _people(detector, NOBODY), strict=True)
    assert [row for row in found if row[1]] == []
