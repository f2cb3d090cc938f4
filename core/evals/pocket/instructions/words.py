"""Common English words, in lower case."""

from __future__ import annotations

_TEXT = """
able above acorn act add age ago agree air alarm album alive all allow almost alone amber anchor
angle animal ankle answer ant apple apron arch area arm arrow art ash ask atlas atom attic aunt
autumn avenue awake axis bacon badge bake ball bamboo band bank barn basin basket bath beach bead
beam bean bear beauty bed beech bell belt bench berry bird birth bitter blade blanket bloom blue
board boat body bone book boot border bottle bottom bowl box branch brass brave bread brick bridge
bright bring broad bronze brook brown brush bucket build bulb burn bush butter button cabin cable
cake calm camel camp canal candle canoe canvas cap car card carpet carry cart castle cat cave cedar
ceiling cell centre chain chair chalk chance change chapel cheese cherry chest chief child chimney
choir circle city clay clean clear cliff climb clock cloth cloud clover coal coast coat coin cold
colour comb cook cool copper coral corn corner cotton count cousin cover cow crab cradle crane
cream creek crew crop cross crow crowd crown cup cure curtain curve daisy dance dark date dawn day
deal deep deer desert desk dew diamond dig dinner dish ditch dive dock dog door dove draw dream
dress drift drink drive drop drum dry duck dune dusk dust eager eagle ear early earn earth east
easy eat echo edge egg eight elbow elm ember empty enamel end enjoy enough enter equal evening ever
exact extra eye fable face fact fair fall family fan far farm fast father feast feather fence fern
ferry field fig final find fine finger fire first fish five flag flame flat flax flood floor flour
flower flute fly foam fog fold follow food foot forest fork form fort forward fox frame free fresh
friend frog frost fruit full funnel fur garden garlic gate gather gentle giant gift ginger girl
give glad glass glove goat gold good goose grain grand grape grass gravel great green grey ground
group grow guest guide guitar gull habit hair half hall hammer hand happy harbour hard harp harvest
hat hawk hay hazel head heart heat heavy hedge height help hen herb hero hill hinge hold hollow
home honest honey hood hook hope horn horse hour house humble hundred hut ice idea idle inch ink
inn insect iron island ivory ivy jacket jam jar jewel join joke journey joy jug juice jump june
jungle just keen keep kettle key kind king kitchen kite knee knife knot know lace ladder lake lamb
lamp land lane lantern large last late laugh lawn lead leaf learn leather leave left lemon lend
letter level library lift light lily lime linen lion list little live loaf lock log long look loop
loud love low lucky lunch magnet maid make maple map marble march market marsh mask mast match
meadow meal measure meet mellow melon metal middle mild milk mill mind mint mirror mist model moon
morning moss moth mother mountain mouse mouth move mud music narrow nation near neat neck needle
nest net new next nice night nine noble noise noon north nose note number nut oak oar oat ocean odd
offer office oil old olive onion open orange orbit orchard order organ other otter oval oven over
owl own oxen oyster page paint pair palace palm pan paper parade park part party path patient
pattern peace peach pear pebble pen people pepper perfect piano picture pie pilot pine pink pipe
place plain planet plank plant plate play plenty plum pocket poem point pole pond pool poplar port
post pot powder prairie press pretty price print prize proud pull pump pupil pure purple quarry
quart queen quick quiet quill quilt rabbit race rain raise ranch raven reach read ready real reed
reef rest rhyme rhythm ribbon rice rich ride ridge right ring ripe rise river road roast robin rock
roof room root rope rose rough round row royal rug rule run rust saddle safe sail salt sand satin
scale school sea seal search season seat second seed seven shade shadow shallow shape share sharp
shawl sheep shelf shell shield ship shirt shoe shop shore short silk silver simple sing sister six
skill skin sky sleep slope slow small smile smoke smooth snail snow soap soft soil song soup south
spade spark spice spider spoon spring square squash stable stage stair star station steam steel
steep stem step stone stool storm story stove straw stream street string strong summer sun supper
swan sweet swift table tailor tale tall tame tape tea teach team temple ten tent thank thick thin
thorn thread three thumb thunder tide tiger timber time tin tiny toast today together tool top
torch tower town trade trail train travel tree trout true trumpet trust tulip tunnel turn twelve
twenty twig twin uncle under union unit until upper urban urge urn use usual valley value vast
velvet verse vessel view village vine violet violin visit voice voyage wagon walk wall walnut warm
wash watch water wave wax way weather weave week well west whale wheat wheel white whole wide wild
willow win wind window wine wing winter wire wise wish wolf wonder wood wool word work world wren
write yard yarn year yellow yes yet yoke young youth zebra zero zinc zone
"""

WORDS = tuple(dict.fromkeys(_TEXT.split()))
