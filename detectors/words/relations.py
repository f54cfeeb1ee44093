"""Words for people's relations to each other, in the supported languages."""

FAMILY = (
    "mother|father|mom|mum|mommy|mummy|dad|daddy|parents?|sister|brother|siblings?|son|daughter|"
    "kids?|child|children|wife|husband|spouse|partner|fianc[ée]e?|girlfriend|boyfriend|"
    "ex-?wife|ex-?husband|ex-?girlfriend|ex-?boyfriend|ex|uncle|aunt|auntie|niece|nephew|cousin|"
    "grandmother|grandfather|grandparents?|grandma|grandpa|granny|nan|nana|gran|granddaughter|"
    "grandson|grandkids?|grandchild(?:ren)?|stepson|stepdaughter|stepmother|stepfather|stepmum|"
    "stepdad|stepbrother|stepsister|(?:mother|father|sister|brother|son|daughter)-in-law|in-laws|"
    "godmother|godfather|godson|goddaughter|godparents?|twins?|half-?brother|half-?sister|"
    "foster (?:mother|father|parents?|child)|ward|widow|widower|bride|groom|sis|bro|hubby|wifey"
)
FRIENDS = (
    "best friend|bestie|friends?|buddy|mate|pal|pen ?pal|neighbou?rs?|roommate|flatmate|housemate|"
    "room-mate|crush|lover|lodger|godparent|classmate|companion"
)
WORK = (
    "boss|manager|supervisor|co-?worker|colleague|teammate|mentor|mentee|intern|assistant|employee|"
    "employer|business partner|landlord|landlady|tenant|client|coach|teacher|tutor|professor|"
    "doctor|dentist|therapist|counsellor|counselor|nurse|midwife|physio(?:therapist)?|lawyer|solicitor|"
    "accountant|nanny|babysitter|childminder|carer|pastor|priest|rabbi|imam|trainer|hairdresser|"
    "plumber|sponsor|probation officer"
)
RELATION = f"{FAMILY}|{FRIENDS}|{WORK}"

OTHER_LANGUAGES = (
    # German
    "mutter|vater|mama|papa|schwester|bruder|sohn|tochter|frau|mann|ehefrau|ehemann|freundin|"
    "freund|onkel|tante|nichte|neffe|oma|opa|großmutter|großvater|schwiegermutter|schwager|"
    # French
    "mère|père|maman|sœur|soeur|frère|fils|fille|femme|mari|copine|copain|oncle|nièce|neveu|cousine|"
    "grand-mère|grand-père|belle-mère|beau-père|"
    # Spanish, Portuguese, Italian
    "madre|padre|hermana|hermano|hijo|hija|esposa|esposo|marido|novia|novio|tío|tía|abuela|abuelo|"
    "suegra|prima|primo|mãe|pai|irmã|irmão|filho|filha|namorada|namorado|avó|avô|sogra|moglie|marito|"
    "sorella|fratello|figlio|figlia|nonna|nonno|zia|zio|suocera|fidanzata|fidanzato|"
    # Dutch
    "moeder|vader|zus|broer|zoon|dochter|vrouw|vriendin|vriend|oom|nicht|neef|schoonmoeder"
)
PERSONAL = f"{FAMILY}|{FRIENDS}|{OTHER_LANGUAGES}"
