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
# Behind a family's name: "the Okafor twins".
HOUSEHOLD = "family|families|household|clan|couple|twins|brothers|sisters|siblings|kids|children"
PERSONAL = f"{FAMILY}|{FRIENDS}|{OTHER_LANGUAGES}"

TRADES = (
    "accountant|actor|agent|architect|artist|baker|barber|barista|bartender|bookkeeper|bricklayer|builder|butcher|captain|"
    "carpenter|caretaker|cashier|chef|chemist|chiropractor|cleaner|consultant|contractor|cook|courier|decorator|"
    "dealer|designer|developer|director|driver|drummer|editor|electrician|engineer|estate agent|"
    "farmer|fisherman|florist|gardener|guide|guitarist|handyman|janitor|journalist|librarian|"
    "locksmith|mailman|mayor|mechanic|milkman|musician|optician|osteopath|painter|paramedic|pharmacist|photographer|pianist|pilot|"
    "plasterer|policeman|porter|postman|receptionist|roofer|sailor|secretary|singer|soldier|surgeon|"
    "surveyor|tailor|technician|tiler|translator|vet|waiter|waitress|welder|writer"
)
# Friends, people from work, and trades.
OTHER_ROLES = (
    # German
    "kolleg(?:e|en|in)|chef(?:in)?|nachbar[ns]?|nachbarin|mitbewohner(?:in)?|vermieter(?:in)?|"
    "mieter(?:in)?|kund(?:e|en|in)|partner(?:in)?|lehrer(?:in)?|trainer(?:in)?|arzt|ärztin|"
    "zahnarzt|zahnärztin|hausarzt|hausärztin|anwalt|anwältin|hebamme|klempner(?:in)?|"
    "installateur(?:in)?|elektriker(?:in)?|maler(?:in)?|tischler(?:in)?|schreiner(?:in)?|"
    "bäcker(?:in)?|metzger(?:in)?|gärtner(?:in)?|friseur(?:in)?|mechaniker(?:in)?|fahrer(?:in)?|"
    "köch(?:in)|koch|kellner(?:in)?|architekt(?:en|in)?|ingenieur(?:in)?|steuerberater(?:in)?|"
    "buchhalter(?:in)?|hausmeister(?:in)?|handwerker|dachdecker|apotheker(?:in)?|makler(?:in)?|"
    "cousine?|vetter|enkel(?:in)?|schwägerin|schwiegersohn|schwiegertochter|verlobter?|freunde|"
    "patientin|"
    # French
    "collègue|patronne?|voisine?|amie?|colocataire|propriétaire|locataire|cliente?|associée?|"
    "professeure?|prof|entraîneur|médecin|dentiste|avocate?|sage-femme|infirmi(?:er|ère)|plombier|"
    "électricien(?:ne)?|peintre|menuisier|boulang(?:er|ère)|bouch(?:er|ère)|jardini(?:er|ère)|"
    "coiffeu(?:r|se)|mécanicien(?:ne)?|chauffeur|cuisini(?:er|ère)|serveu(?:r|se)|architecte|"
    "ingénieure?|comptable|concierge|pharmacien(?:ne)?|"
    # Spanish, Portuguese, Italian
    "colega|compañer[oa]|jef[ea]|vecin[oa]|amig[oa]|caser[oa]|inquilin[oa]|cliente|soci[oa]|"
    "profesora?|entrenadora?|médic[oa]|dentista|abogad[oa]|enfermer[oa]|fontaner[oa]|electricista|"
    "pintora?|carpinter[oa]|panader[oa]|carnicer[oa]|jardiner[oa]|peluquer[oa]|mecánic[oa]|"
    "conductora?|cociner[oa]|camarer[oa]|arquitect[oa]|ingenier[oa]|contable|farmacéutic[oa]|"
    "chef[ea]|vizinh[oa]|senhori[oa]|professora?|treinadora?|advogad[oa]|enfermeir[oa]|"
    "encanadora?|canalizador|eletricista|pintora?|padeir[oa]|açougueir[oa]|jardineir[oa]|"
    "cabeleireir[oa]|motorista|cozinheir[oa]|garçom|contadora?|"
    "collega|cap[oa]|vicin[oa]|amic[oa]|coinquilin[oa]|padrone di casa|professoressa|professore|"
    "allenatore|allenatrice|dottore|dottoressa|medico|avvocat[oa]|infermier[ea]|idraulico|"
    "elettricista|imbianchino|falegname|fornaio|panettiere|macellaio|giardiniere|parrucchier[ea]|"
    "meccanico|autista|cuoc[oa]|camerier[ea]|architett[oa]|ingegnere|commercialista|ragionier[ea]|"
    # Dutch
    "collega|baas|buurman|buurvrouw|huisgenoot|huisgenote|huisbaas|huurder|klant|leraar|lerares|"
    "huisarts|dokter|tandarts|advocaat|verpleegkundige|loodgieter|elektricien|schilder|timmerman|"
    "bakker|slager|tuinman|kapper|kapster|monteur|chauffeur|kok|ober|architect|ingenieur|"
    "boekhouder|apotheker"
)
ROLES = f"(?:{RELATION}|{OTHER_LANGUAGES}|{OTHER_ROLES}|{TRADES})"
