"""What stands in notes where people do, and is nobody: departments, houses, feasts, food."""

from detectors.words import word_set

DEPARTMENTS = word_set(
    "accounting accounts admin backend billing compliance data delivery design devops dispatch "
    "editorial engineering facilities finance frontend helpdesk housekeeping infra "
    "infrastructure legal logistics maintenance marketing operations payroll platform press "
    "procurement product purchasing quality reception recruiting recruitment research sales "
    "security staffing support training treasury warehouse"
)
AUTHORITIES = word_set(
    "army congress council court customs embassy consulate government immigration jury ministry "
    "parliament parish police revenue senate taxman town village"
)
HOUSES = word_set(
    "academy agency airline airport bakery bank bar cafe cinema church clinic club college "
    "company crew daycare dealership factory firm garage gym hospital hostel hotel insurance "
    "kindergarten lab leadership library management mosque museum nursery office pharmacy pub "
    "restaurant school shop spa staff store studio surgery synagogue team temple theatre union "
    "university work"
)
ANYBODY = word_set(
    "all anybody anyone audience baby bot boy candidate caller class crowd customer everybody "
    "everyone family folks girl god group guest guy host kid lady life madam man member nature "
    "nobody opponent owner patient people person player public somebody someone sir speaker "
    "stranger student teenager toddler there victim visitor witness woman"
)
ANIMALS = word_set(
    "bird bunny cat cow dog fish goat hamster hen horse kitten kitty parrot pet pig pony pup "
    "puppy rabbit sheep snake tortoise turtle"
)
FEASTS = word_set(
    "advent carnival diwali easter eid halloween hanukkah nativity passover pentecost pride "
    "purim ramadan thanksgiving valentines xmas yule"
)
DATES = word_set(
    "afternoon day evening month morning night noon quarter today tomorrow tonight week weekend "
    "year yesterday"
)
FOOD = word_set(
    "bacon bagel beans beer bread broth burger butter cake cereal cheese chicken chips "
    "chocolate coffee cream curry dessert eggs fish fruit gravy ham honey jam juice lemonade "
    "meat milk mustard noodles oatmeal pasta pie pizza porridge rice salad salmon sausage soup "
    "steak stew sugar sushi syrup tea toast tofu tuna veg vegetables water whiskey wine yoghurt "
    "yogurt"
)
PLANS = word_set(
    "appointment breakfast deadline delivery dinner home letter lunch mail news note option "
    "package parcel plan post reminder update window world"
)
THINGS = word_set(
    "alarm app brain calendar conscience email emergency fate football furniture gut heart house "
    "instinct jazz kitchen laundry luck maybe mortgage music noise oat parking party phone podcast "
    "quota rent rumour setup skin software sport sunshine tax therapy traffic truth weather yoga"
)
NO_ONE = (
    DEPARTMENTS | AUTHORITIES | HOUSES | ANYBODY | ANIMALS | FEASTS | DATES | FOOD | PLANS | THINGS
)
# Firms that are called by an ordinary word.
BRANDS = word_set(
    "affirm amazon asana audible azure bolt boots brave capital chime cash deliveroo "
    "discover discord elastic epic evernote fidelity gap giant giving google grab hinge indeed "
    "liberty lime lemonade monday next oracle orange principal progressive prudential quicken "
    "shell signal sky slack sprint square stripe subway target three travelers twitch vanguard "
    "virgin visa vista wise workday yelp zoom"
)
