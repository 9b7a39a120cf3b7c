const list = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Towns. */
export const places = list(`
Paris London Berlin Madrid Rome Vienna Oslo Lisbon Dublin Athens Prague Warsaw Helsinki Stockholm
Copenhagen Budapest Brussels Amsterdam Hamburg Munich Milan Naples Venice Porto Seville Valencia
Lyon Nice Zurich Geneva Basel Boston Chicago Denver Dallas Seattle Miami Toronto Montreal
Vancouver Sydney Melbourne Perth Auckland Tokyo Kyoto Osaka Seoul Beijing Shanghai Mumbai Delhi
Cairo Nairobi Lagos Accra Lima Bogota Quito Santiago Havana Austin Portland Phoenix Houston
Atlanta Cleveland Bristol Leeds York Glasgow Cardiff Belfast Cork Galway Bergen Turku Malmo Gdansk
Krakow Riga Tallinn Vilnius Zagreb Split Sofia Varna Istanbul Ankara Izmir Tunis Rabat Dakar
Durban Manila Jakarta Hanoi Ghent Antwerp Bruges Lille Nantes Toulouse Bordeaux Marseille
Strasbourg Turin Bologna Florence Genoa Verona Palermo Granada Bilbao Malaga Cordoba Salzburg Graz
Linz Innsbruck Bern Lausanne Lucerne Cologne Frankfurt Stuttgart Dresden Leipzig Bremen Hanover
Nuremberg Rotterdam Utrecht Aarhus Odense Gothenburg Uppsala Tampere Trondheim Stavanger Tromso
Reykjavik Limerick Derry Edinburgh Aberdeen Dundee Swansea Oxford Cambridge Brighton Norwich
Plymouth Exeter Sheffield Liverpool Manchester Nottingham Wroclaw Poznan Lublin Brno Ostrava
Bratislava Ljubljana Sarajevo Belgrade Skopje Tirana Thessaloniki Patras Odessa Minsk Tbilisi
Yerevan Baku Almaty Tashkent Kabul Lahore Karachi Chennai Kolkata Jaipur Pune Dhaka Colombo
Kathmandu Yangon Bangkok Phuket Saigon Penang Singapore Taipei Busan Sapporo Nagoya Kobe Fukuoka
Brisbane Adelaide Darwin Hobart Wellington Dunedin Suva Honolulu Calgary Winnipeg Halifax Ottawa
Quebec Detroit Memphis Orlando Tampa Tucson Omaha Boise Reno Tulsa Nashville Baltimore Pittsburgh
Cancun Puebla Managua Panama Caracas Medellin Cali Cusco Arequipa Rosario Montevideo Recife
Salvador Brasilia Casablanca Fez Algiers Tripoli Alexandria Khartoum Kampala Kigali Lusaka Harare
Maputo Windhoek Luanda Kinshasa Abuja Kano Lome Bamako
`);

/** Animals. */
export const animals = list(`
dog cat horse cow pig goat sheep duck hen goose rabbit mouse rat fox wolf bear lion tiger zebra
giraffe elephant monkey camel deer moose otter beaver badger squirrel hedgehog owl eagle hawk crow
robin parrot swan penguin frog toad snake lizard turtle crab lobster whale dolphin shark seal
salmon bee ant spider butterfly snail koala panda kangaroo llama donkey hamster ferret calf lamb
pony mule ox bull turkey pigeon dove sparrow finch raven magpie heron stork crane falcon vulture
pelican flamingo peacock ostrich woodpecker cuckoo swallow seagull puffin bat mole vole weasel
lynx leopard panther cheetah jaguar hyena jackal coyote bison buffalo antelope gazelle yak walrus
octopus squid jellyfish starfish trout carp tuna herring sardine eel ray shrimp oyster clam wasp
moth beetle cricket ladybird dragonfly mosquito worm newt gecko iguana cobra crocodile alligator
tapir sloth armadillo porcupine skunk raccoon lemur gorilla baboon chimpanzee platypus wombat
`);

/** Foods and drinks. */
export const foods = list(`
apple pear plum cherry banana orange lemon grape melon peach mango kiwi carrot potato tomato onion
garlic pepper cabbage spinach lettuce pumpkin bean pea corn rice bread butter cheese milk yogurt
egg honey sugar salt flour pasta pizza soup salad stew pancake waffle biscuit cake cookie pie jam
toast tea coffee juice cocoa water ham tofu noodle dumpling taco burger sandwich walnut almond
raisin fig apricot nectarine papaya pineapple coconut strawberry raspberry blueberry cranberry
blackberry date lime grapefruit pomegranate cucumber radish turnip beetroot celery fennel leek
broccoli cauliflower asparagus artichoke aubergine mushroom lentil chickpea oat barley wheat
cereal porridge bagel croissant pretzel roll omelette sausage bacon chicken steak meatball lasagna
ravioli risotto sushi curry chili burrito falafel hummus olive pickle mustard ketchup mayonnaise
vinegar cinnamon ginger vanilla basil parsley mint chocolate caramel toffee pudding custard muffin
brownie doughnut lemonade cider smoothie peanut cashew hazelnut pistachio syrup marmalade
`);

/** Things. */
export const things = list(`
table chair lamp book pen pencil paper door window key lock clock watch phone radio camera mirror
picture box bag bottle cup plate bowl spoon fork knife pan pot stove oven fridge bed pillow
blanket carpet curtain shelf drawer basket bucket broom brush soap towel comb hat coat shirt sock
shoe boot glove scarf belt ring coin wallet ticket map letter stamp card ball kite drum flute
guitar piano violin bell candle torch rope ladder hammer nail saw screw wheel bike car bus train
boat ship plane rocket bridge tower castle garden fence gate tree flower leaf rock river lake hill
island cloud star moon needle thread button ribbon feather shell marble puzzle robot magnet
battery wire engine anchor compass lantern tent stone umbrella whistle helmet shovel barrel statue
blossom harbor meadow canyon cushion mattress pillowcase sheet quilt rug mat vase pitcher jug mug
saucer tray tin jar lid kettle toaster blender mixer grater sieve ladle spatula whisk apron napkin
tablecloth candlestick chandelier bulb plug socket cable switch remote speaker headphone laptop
keyboard monitor printer scanner tablet charger calculator stapler eraser ruler sharpener crayon
marker notebook envelope folder binder calendar globe atlas poster canvas easel paintbrush palette
frame banner flag medal trophy badge crown sceptre sword shield bow arrow spear helm armor cape
cloak robe gown dress skirt blouse sweater jacket vest trousers shorts jeans slipper sandal
sneaker buckle zipper pocket purse suitcase backpack trunk crate barrow cart wagon carriage sled
scooter skateboard tricycle tractor truck van tram ferry canoe kayak raft yacht sail oar rudder
helicopter balloon parachute glider tunnel pier dock lighthouse windmill fountain well pond stream
waterfall cliff cave valley desert forest jungle swamp beach dune pebble boulder crystal diamond
pearl ruby emerald amber ivory velvet silk linen wool cotton leather rubber plastic glass brick
tile plank log branch twig root bark acorn pinecone mushroom moss ivy daisy tulip rose lily orchid
cactus bamboo hedge lawn bench swing slide seesaw sandbox hammock pipe hose tap sink bathtub
shower sponge bleach mop dustpan vacuum iron hanger wardrobe cupboard desk stool sofa armchair
bookcase fireplace chimney roof attic cellar balcony staircase elevator corridor wrench pliers
chisel drill axe shears rake hoe spade trowel anvil pulley lever gear spring bolt hinge hook chain
padlock latch telescope microscope thermometer barometer hourglass prism lens tripod trumpet
trombone clarinet saxophone harp cello banjo accordion tambourine xylophone harmonica
`);

/** Occupations. */
export const jobs = list(`
teacher doctor nurse farmer baker butcher pilot sailor painter writer singer dancer actor lawyer
judge chef waiter gardener plumber carpenter builder driver mechanic tailor barber dentist
librarian engineer chemist firefighter postman fisherman miner potter weaver photographer
journalist plasterer mason welder electrician roofer glazier locksmith blacksmith goldsmith
jeweller cobbler shepherd beekeeper vet surgeon midwife pharmacist optician therapist psychologist
biologist physicist astronomer geologist mathematician historian translator interpreter editor
publisher printer reporter cameraman director producer composer conductor drummer guitarist
violinist sculptor architect designer programmer accountant banker broker clerk secretary
receptionist cashier salesman florist grocer fishmonger brewer winemaker bartender cleaner porter
janitor guard soldier detective diver lifeguard coach referee cyclist boxer jockey magician clown
acrobat
`);

/** Adjectives. */
export const adjectives = list(`
big small old new young tall short long wide narrow heavy light fast slow hot cold warm cool dry
wet clean dirty bright dark loud quiet soft hard smooth rough sweet sour bitter fresh strong weak
brave shy happy sad angry calm kind proud clever funny gentle honest lucky busy tired hungry tiny
huge round flat sharp blunt deep thick thin empty full rich poor cheap plain fancy silent golden
silver wooden rusty dusty sunny rainy windy foggy frozen curious patient clumsy nimble great
little broad steep shallow slim plump giant mighty massive hollow solid liquid sticky slippery
greasy oily creamy crispy crunchy juicy spicy salty stale ripe rotten raw frosty chilly icy humid
stormy misty cloudy shady gloomy dim pale vivid shiny glossy matte faded striped spotted checked
curly wavy bald hairy furry fluffy feathery spiky thorny jagged crooked bent twisted curved oval
square triangular vertical modern ancient antique medieval recent early late sudden gradual rapid
swift lazy idle eager keen bold timid cautious careless careful stubborn loyal faithful jealous
envious greedy generous selfish polite rude cheerful merry joyful gleeful grumpy moody bored
nervous anxious scared fearless heroic noble humble modest vain famous secret hidden public
private foreign local native rural urban coastal tropical polar magic mystic royal sacred
`);

/** Colours. */
export const colours = list(`
red blue green yellow orange purple pink brown black white grey
`);
