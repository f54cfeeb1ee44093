"""A password in a command, a statement or a file of accounts is hidden; their other words stay."""

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings

SECRETS = {"PASSWORD", "API_KEY", "PRIVATE_KEY"}
WEAK = "larkspur"
PLACES = """
ALTER USER app IDENTIFIED BY '{}';
create user 'app'@'%' identified with mysql_native_password by '{}';
CREATE USER app IDENTIFIED BY {};
GRANT ALL ON shop.* TO 'app'@'localhost' IDENTIFIED BY "{}";
CREATE ROLE app LOGIN PASSWORD '{}';
create role app with login encrypted password '{}' valid until '2031-01-01';
ALTER LOGIN app WITH PASSWORD = '{}';
SET PASSWORD FOR 'app'@'db' = PASSWORD('{}');
mysql -u app -p{} shop
mysqldump --single-transaction -u root -p'{}' shop > dump.sql
sshpass -p {} ssh app@db
sshpass -p '{}' scp one two
mongosh -u app -p {} --host db
curl -u app:{} https://shop.example.org
curl -s --user "app:{}" https://shop.example.org
wget --user=app --password={} https://shop.example.org
http -a app:{} GET shop.example.org
echo "app:{}" | chpasswd
printf 'app:{}\\n' | sudo chpasswd
chpasswd <<< "app:{}"
echo {} | sudo -S apt update
echo "{}" | docker login -u app --password-stdin
docker login -u app -p {} registry.example.org
redis-cli -h db -a {} ping
sqlcmd -S db -U sa -P {}
plink -pw {} app@db
ldapsearch -x -D cn=app -w {}
unzip -P {} dump.zip
7z x dump.7z -p{}
smbclient //db/share -U app%{}
openssl enc -aes-256-cbc -pass pass:{} -in dump
htpasswd -bc /etc/web app {}
rabbitmqctl add_user app {}
net use Z: \\\\db\\share {} /user:app
ConvertTo-SecureString "{}" -AsPlainText -Force
db.example.org:5432:shop:app:{}
*:*:*:app:{}
""".strip().split("\n")
HASHES = """
$apr1$7vK2mPq4$x0YtRwEzUiLpAsBfGhJm1.
$6$saltSALT$uLmNoRqPsTuVwXyZ9876543210abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN
$2y$10$M8qo7uKOibkfw1YLRYnLxdHiYzffbk6o91kcGwZc57KIyCk16kgVx
$argon2id$v=19$m=65536,t=3,p=4$c2FsdFNBTFQ$QcdrbtcuIBrfs2ta9a1cDA7y8c6
{SHA}mT3dH60abmAFpdN9s8sWuX0t4nP=
{SSHA512}mT3dH60abmAFpdN9s8sWuX0t4nPmT3dH60abmAFpdN9
pbkdf2_sha256$600000$bcdEFG$lMnOpQrStUvWxYzA1234567890bcdefghijkl=
*6BB4837EB74329105EE4568DDA7DC67ED2CA2AD9
""".strip().split("\n")
OTHER_WORDS = """
mysql -u app -p shop
mysql -P 3306 -u app -p
mysql -p$DB_PASSWORD shop
mysql -p"$DB_PASSWORD" shop
docker run -p 8080:80 web
docker login registry.example.org
sshpass -e ssh app@db
sshpass -p "$PW" ssh db
curl -u "$NAME:$PW" https://shop.example.org
curl -u https://shop.example.org
mkdir -p build/out
ssh -p 2222 app@db
The leak was identified by the night shift.
create user stories identified by research
ALTER USER app PASSWORD EXPIRE;
ALTER TABLE people ADD password VARCHAR(80);
ALTER USER app WITH PASSWORD '${PW}';
CREATE USER app IDENTIFIED BY '<password>';
CREATE USER app IDENTIFIED WITH auth_socket;
CREATE USER app IDENTIFIED BY :pw
cat people.txt | chpasswd
echo hello | sudo tee /etc/motd
echo "$PW" | sudo -S ls
echo $TOKEN | docker login -u app --password-stdin
awk '{print $1$2$3$4$5$6$7$8$9$10$11$12$13$14}' file
costs $5 or $6 and $1 more
src/main.c:1200:5:error
10:15:30:1234:done
web:8080:shop:v1:stable
{SHA} is a scheme
zip -r dump.zip dump -P
unzip -p dump.zip file.txt
7z x dump.zip -o/tmp -y
plink -P 22 db
openssl enc -pass file:/run/pw
openssl enc -pass env:PW
htpasswd -c /etc/web app
rabbitmqctl add_user app
net user app /delete
rsync -avz -p one two
""".strip().split("\n")


@pytest.fixture(scope="module")
def detector() -> Detector:
    """Patterns alone."""
    return Detector(DetectorSettings(tier="structured"))


def _secrets(detector: Detector, texts: list[str]) -> list[list[str]]:
    return [
        [found.text for found in analysis.detections if found.entity_type in SECRETS]
        for analysis in detector.analyse(texts)
    ]


def test_a_weak_password_where_a_program_expects_one_is_hidden(detector: Detector) -> None:
    """Whatever the program, and exactly the password: the rest of the line stays."""
    texts = [place.format(WEAK) for place in PLACES]
    found = zip(PLACES, _secrets(detector, texts), strict=True)
    assert [each for each in found if [part.rstrip("\\n") for part in each[1]] != [WEAK]] == []


def test_the_hash_of_a_password_is_hidden(detector: Detector) -> None:
    """In a file of accounts or on its own."""
    forms = ["app:{}", "app:{}:19000:0:99999:7:::", "{}"]
    texts = [form.format(each) for form in forms for each in HASHES]
    held = [each.rstrip("=.") for _ in forms for each in HASHES]
    found = _secrets(detector, texts)
    assert [row for row in zip(held, found, strict=True) if row[0] not in "".join(row[1])] == []


def test_other_words_of_commands_and_statements_stay(detector: Detector) -> None:
    """Options without a password, variables, ports, places and sentences."""
    found = zip(OTHER_WORDS, _secrets(detector, OTHER_WORDS), strict=True)
    assert [each for each in found if each[1]] == []
