"""Notes of other languages: nobody is seen in what only has a capital, and people still are."""

import re

import pytest

from detectors.detection import Detection
from detectors.engine import Detector
from detectors.people.corrections import refine_people
from detectors.settings import DetectorSettings

NEUTRAL = """
Die Rechnung liegt seit Montag im Ordner.
Im Keller steht noch Farbe für den Flur.
Am Samstag ist der Wertstoffhof bis zwölf offen.
Die Suche liefert zu viele Treffer.
Morgens lieber Müsli statt Toast.
Die Heizung klopft, sobald es kalt wird.
Das Regal hält höchstens vierzig Kilo.
Die Datenbank läuft auf einem eigenen Server.
Der Kuchen braucht noch zwanzig Minuten im Ofen.
Alle Tests laufen nachts in der Pipeline.
Bevorzugt kurze Antworten ohne Einleitung.
Nudeln mit Pesto gehen immer.
Die Wäsche ist noch nass.
Gieß die Orchidee nur einmal pro Woche.
Kürze den Text auf zehn Zeilen.
Sortiere die Liste nach Datum.
Schalte den Drucker aus, bevor du gehst.
Teste die Schnittstelle mit einem leeren Feld.
Wandern im Harz macht auch bei Nebel Spaß.
Der Flug nach Lissabon geht über Zürich.
Hund und Katze schlafen auf dem Sofa.
Der Film dauert zwei Stunden.
Zum Frühstück gibt es Brötchen, Käse und Tomaten.
Ein Backup läuft jede Nacht um zwei.
Die Logs landen in Loki, die Metriken in Prometheus.
Die App speichert Einstellungen in einer Datei.
Statt Kaffee trinkt das Team nachmittags Tee.
Der Aufsatz handelt von Vulkanen und Erdbeben.
Das Schwimmbad öffnet im Mai.
Die Lieferung kommt zwischen acht und zwölf.
Im Kühlschrank ist noch Quark.
Die Wohnung hat drei Zimmer und einen Balkon.
Morgen früh Reifen wechseln lassen.
Pendelt mit der Straßenbahn ins Büro.
Erinnere mich an Milch und Eier.
Liest gern Krimis und hört Jazz.
Die Rechnung über 40 Euro ist offen.
Nach dem Sport immer duschen.
Lernt seit Januar Klavier.
Vegetarier, keine Pilze, wenig Salz.
Das Handy lädt nur mit dem alten Kabel.
Der Hund braucht eine Impfung.
Übersetze Texte ins Englische.
Das Meeting beginnt um zehn in Raum Blau.
Verwende Tabulatoren statt Leerzeichen.
Die Katze frisst nur Trockenfutter.
Plant eine Reise nach Norwegen im Sommer.
Fenster putzen, Bad wischen, Betten beziehen.
Der Server steht in Frankfurt.
Skript läuft unter Windows und Linux.
Das Dach wird im Herbst neu gedeckt.
Zahnarzttermin ist am Mittwoch um neun.
Für den Salat fehlen Gurken.
Kein Fleisch, aber Fisch ist in Ordnung.
Der Motor startet bei Frost schlecht.
Le train pour Lyon part à huit heures.
Préfère le thé vert au café.
Pense à acheter du pain et des œufs.
Mets le parapluie dans la voiture.
La réunion du lundi est annulée.
Le chat dort sur le canapé.
El tren a Toledo sale a las nueve.
Compra pan, huevos y mantequilla.
Prefiere respuestas cortas.
La reunión del lunes se cancela.
Riega las plantas dos veces por semana.
Il treno per Bologna parte alle otto.
Compra il pane e le uova.
Preferisce risposte brevi.
La riunione di lunedì è annullata.
Annaffia le piante due volte a settimana.
O comboio para Lisboa parte às oito.
Compra pão e ovos.
Prefere respostas curtas.
Expose the service through Envoy and terminate TLS there.
Provision the VM with Packer, then Ansible.
Switch from Bitbucket to Gitea.
Run Trivy on every image.
The job writes Parquet files to S3.
Qdrant stores the vectors, Ollama embeds them.
Prefers Neovim over VSCode.
Uses Syncthing and Nextcloud at home.
Pin Pydantic to version 2.
Authentik sits in front of Grafana.
A reunião de segunda foi cancelada.
De trein naar Utrecht vertrekt om acht uur.
Koop brood en eieren.
Houdt van korte antwoorden.
De vergadering van maandag gaat niet door.
Zet de fiets in de schuur.
"""
PEOPLE = """
Am Montag habe ich mit [Jonas Reuter] gesprochen.
Mein Bruder heißt [Torben].
Herr [Dr. Kolbe] ist im Urlaub.
[Heike] mag keinen Kaffee.
Meine Tochter [Lotte] geht in die dritte Klasse.
Gestern rief [Svenja] an.
[Ulrike Brandt] wohnt in Kassel.
[Sabine] und [Thomas] heiraten im Juni.
Wir fahren mit [Dieter] nach Bremen.
Frag mal [Wolfgang], ob er Zeit hat.
[Jürgen] hat sich das Bein gebrochen.
Der Brief an [Elfriede Manz] ist zurückgekommen.
Heute war [Volker] beim Zahnarzt.
Unser Sohn [Anton] spielt Geige.
Die Lehrerin heißt [Gudrun Pfeiffer].
[Marlene] ist allergisch gegen Nüsse.
[Lars Petersen] hat den Fehler gefunden.
Hat [Nadine] schon geantwortet?
Meine Freundin [Jule] zieht nach Leipzig.
Die Rechnung von [Uwe Drechsler] ist bezahlt.
Morgen fliegt [Achim] nach Wien.
Ich kenne [Dorothea] seit der Schule.
Bei [Familie Krüger] brennt noch Licht.
[Paula] schläft schlecht.
Der Trainer [Sven Ahrens] ist krank.
Lade bitte [Gerlinde] und [Horst] ein.
Mit Herrn [Bachmann] über das Budget reden.
Die Hebamme [Rosalie Thiel] kommt um neun.
Nach der Arbeit traf ich [Ortwin].
Der Anwalt [Hasan Yildirim] hat geschrieben.
[Clotilde] habite à Rennes.
Mon frère s'appelle [Gaspard].
J'ai vu [Thibault Marchand] hier au marché.
Le médecin, [Dr Lefort], a appelé.
[Solène] déteste les champignons.
Dîner chez [Aurélie] samedi.
Mi hermana [Ximena] vive en Sevilla.
[Joaquín Benavides] trabaja en el banco.
Ayer hablé con [Nuria].
El regalo es para [Iker].
La profesora se llama [Begoña Salinas].
[Leandro] no come carne.
Ho incontrato [Fiorella] al mercato.
Mio zio [Amedeo] abita a Parma.
[Giancarlo Bellini] è il mio capo.
Il libro è di [Ornella].
Cena con [Lorenzo] venerdì.
Minha irmã [Jussara] mora em Braga.
Falei com [Tomé Azevedo] ontem.
[Catarina] gosta de chá.
O presente é para [Heitor].
Mijn buurman heet [Joost].
[Marijke de Vries] werkt in Utrecht.
Ik heb [Sietske] gisteren gezien.
Habe gestern [Thorvald] im Zug getroffen.
Essen mit [Zwickelhuber] am Dienstag.
[Herr Öztürk] bringt die Unterlagen.
Ist [Mats] schon da?
Der Sohn von [Regine] studiert in Wien.
Unsere Nachbarin [Frau Tkachenko] gießt die Blumen.
Der Termin bei [Dr. Sonnleitner] ist um acht.
Die Wohnung gehört [Nguyen Thi Lan].
Unser Hausmeister [Kowalski] hat den Schlüssel.
[Radoslav] kocht heute.
Zum Geburtstag von [Tante Trude] Blumen kaufen.
Gruß von [Benno].
[Sommer] hat die Rechnung bezahlt.
[Jörg] trinkt keinen Alkohol.
Gestern hat [Hartmut Wendelin] angerufen.
Kannst du [Zdravko] eine Mail schreiben?
Der Vertrag mit [Ritterbusch] endet im Juli.
[Frau Dr. Haberkorn] übernimmt die Vertretung.
Unser Trainer [Dragan Petrović] ist streng.
Das Rad habe ich von [Siegbert Lohse] gekauft.
[Gisbert] raucht wieder.
Wer hat [Swantje] eingeladen?
[Opa Heinz] mag keinen Kuchen.
Mein Mitbewohner heißt [Bjarne].
Ich vermisse [Emilia].
Letzte Woche traf ich [Kunigunde] auf dem Markt.
[Cosima] hat Geburtstag.
"""
NAME = re.compile(r"\[([^\]]+)\]")


@pytest.fixture(scope="module")
def detector() -> Detector:
    """Names by model and rules, without the sentence encoder."""
    return Detector(DetectorSettings(tier="fast"))


def test_hardly_a_sentence_without_people_loses_a_word(detector: Detector) -> None:
    """At most one in twenty-five of the neutral notes has somebody in it."""
    lines = NEUTRAL.strip().split("\n")
    found = [
        line for line, said in zip(lines, detector.analyse(lines), strict=True)
        if any(one.entity_type == "PERSON" for one in said.detections)
    ]  # fmt: skip
    assert len(found) * 25 <= len(lines), found


def test_people_are_seen_in_the_same_languages(detector: Detector) -> None:
    """The positive twin: at most one in thirty of the marked people is missed."""
    lines = PEOPLE.strip().split("\n")
    missed = []
    for line, said in zip(lines, detector.analyse([plain(line) for line in lines]), strict=True):
        people = " ".join(one.text for one in said.detections if one.entity_type == "PERSON")
        missed += [name for name in NAME.findall(line) if name.split()[-1] not in people]
    assert len(missed) * 30 <= len(NAME.findall(PEOPLE)), missed


def plain(line: str) -> str:
    """The sentence without the marks around its people."""
    return NAME.sub(r"\1", line)


@pytest.mark.parametrize(
    ("text", "claimed", "twin", "person"),
    [
        ("Nudeln mit Pesto gehen immer", "Pesto", "Nudeln mit Torben gehen immer", "Torben"),
        ("Die Bahn streikt am Montag", "Montag", "Herr Montag streikt am Abend", "Montag"),
        ("Ein Schneider kürzt die Hose", "Schneider", "Herr Schneider kürzt", "Schneider"),
        ("Jeder Richter ist frei", "Richter", "Frau Richter ist frei", "Richter"),
        ("Wir sind am Wochenende da", "Wochenende", "Wir sind bei Wochenthal da", "Wochenthal"),
        ("Wir backen mit Kardamom", "Kardamom", "Wir backen mit Torben", "Torben"),
        ("Er frisst unseren Salat", "Salat", "Er ruft unseren Torben", "Torben"),
        ("Der Keller ist feucht", "Keller", "Frau Keller ist krank", "Keller"),
        ("Die Kosten von Hochwasser", "Hochwasser", "Die Idee von Vehlow", "Vehlow"),
        ("Das macht neue Lust", "Lust", "Das macht mir Tjarko", "Tjarko"),
        ("Das macht der Drucker nicht", "Drucker", "Mein Onkel Drukkar kommt", "Drukkar"),
        ("Kürze den Text bitte", "Kürze den Text", "Nur Kürzinger sagt, es geht", "Kürzinger"),
        ("Der Brief von der Post ist da", "Post", "Der Brief von Ayşoğul ist da", "Ayşoğul"),
        ("La peinture de la cuisine est blanche", "blanche", "Le chat de Blanche dort", "Blanche"),
        ("El museo es gratuito los domingos", "domingos", "El gato de Domingos duerme", "Domingos"),
        ("Controleer de olie van de motor", "olie", "De buurman heet Ollivar", "Ollivar"),
        ("Le déjeuner est à midi et demi", "demi", "Il s'appelle Demivar", "Demivar"),
    ],
    ids=[
        "noun",
        "weekday",
        "article",
        "every",
        "weekend",
        "spice",
        "ours",
        "title",
        "compound",
        "adjective",
        "relation",
        "verb",
        "letters",
        "fr",
        "es",
        "nl",
        "called",
    ],
)
def test_what_nothing_says_to_be_a_person(text: str, claimed: str, twin: str, person: str) -> None:
    """The model's claim is dropped; where a list or a word beside it says so, it is kept."""
    assert people(text, claimed) == []
    assert people(twin, person) == [person]


@pytest.mark.parametrize(
    "text",
    ["I am happy with Zorvik", "Met Zorvik at Müller's"],
)
def test_other_texts_keep_what_the_model_says(text: str) -> None:
    """English texts are judged as before."""
    assert people(text, "Zorvik") == ["Zorvik"]


def people(text: str, claimed: str) -> list[str]:
    """The people left of what a model claimed."""
    start = text.index(claimed)
    span = Detection("PERSON", start, start + len(claimed), 0.85, "model", claimed)
    return [one.text for one in refine_people(text, [span]) if one.entity_type == "PERSON"]
