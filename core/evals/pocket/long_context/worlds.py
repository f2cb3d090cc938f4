"""Two settings for the reports: a harbour, and a store in the mountains."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The subject of reports, and the sentences that they use.

    In the sentences, `{who}` is a carrier, `{n}` a number, `{goods}` goods, `{date}` a date,
    `{lead}` the carrier's leader and `{town}` the leader's home town.

    Attributes:
        place: subject of the reports.
        carrier, leader: nouns for carriers and leaders.
        unit: unit of the numbers, in the plural.
        brought: what carriers do with goods, as a participle.
        carriers, leaders, towns, goods: names.
        deliveries: sentences that report a delivery.
        others: sentences about goods that were not delivered in this way.
        corrections: sentences that replace a number (`{old}` by `{n}`).
        commands: sentences that say who leads a carrier.
        origins: sentences that say where a leader is from.
        filler: sentences about other things; `{a}` and `{b}` are numbers, `{x}` a person.
    """

    place: str
    carrier: str
    leader: str
    unit: str
    brought: str
    carriers: tuple[str, ...]
    leaders: tuple[str, ...]
    towns: tuple[str, ...]
    goods: tuple[str, ...]
    deliveries: tuple[str, ...]
    others: tuple[str, ...]
    corrections: tuple[str, ...]
    commands: tuple[str, ...]
    origins: tuple[str, ...]
    filler: tuple[str, ...]


_LEADERS = (
    "Ada Brenner",
    "Bela Corvin",
    "Cleo Darrow",
    "Dora Estwick",
    "Emil Farrow",
    "Finn Galloway",
    "Greta Holm",
    "Hugo Ilves",
    "Ines Jarvik",
    "Jonas Kessel",
    "Kira Lindqvist",
    "Leon Marsh",
    "Mira Novak",
    "Nils Orbach",
    "Olga Petrov",
    "Paul Quist",
    "Rosa Sandoval",
    "Sven Thorsby",
    "Tilda Urban",
    "Viktor Wessel",
    "Wanda Yarrow",
    "Yuri Zander",
)
_TOWNS = (
    "Aldmoor",
    "Brekka",
    "Corrin",
    "Dunvale",
    "Eskholm",
    "Farrowby",
    "Glenhaven",
    "Hollin",
    "Irkdale",
)
_ANYWHERE = (
    "The clerk {x} was ill for {a} days and nobody could find the key to the tall cupboard.",
    "Rain fell from {a} in the morning until dusk, and the roof let it in at {b} places.",
    "A dispute about {a} missing lamps was settled when {x} found them behind the stove.",
    "The committee sat for {a} hours and agreed on nothing but the date of its next meeting.",
    "{x} proposed to paint the doors green, which was put to a vote and lost by {a} to {b}.",
    "Two windows were mended at a cost of {a} crowns; {b} more are waiting for glass.",
    "The price of oil for the lamps rose by {a} pence, and {x} wrote a letter of complaint about "
    "it.",
    "Visitors came in such numbers that {a} chairs had to be borrowed from the school.",
    "The thermometer showed {a} degrees at noon, and {x} swore that it had been higher in the "
    "shade.",
    "A stray dog has moved into the office; it answers to several names and eats {a} biscuits a "
    "day.",
    "The accounts were checked twice and came out {a} crowns short both times, which {x} calls "
    "progress.",
    "There was talk of a new bell, {a} pounds in weight, but no talk of who should pay for it.",
    "{x} counted {a} geese flying south, and {b} of them flying back again an hour later.",
    "The winter stores were looked over: {a} candles, {b} blankets and a quantity of rope.",
    "Fog hid everything for {a} days together, and the lamps burnt until noon on {b} of them.",
    "The post arrived {a} hours late, with a parcel for {x} that ticked and turned out to be a "
    "clock.",
    "A lecture on knots drew {a} listeners, of whom {b} stayed awake to the end.",
    "{x} has asked for {a} days of leave to visit an aunt, whose health gives cause for concern.",
    "The well was sounded and found {a} feet deep, which is {b} more than anybody remembered.",
    "It was decided to keep the minutes in ink from now on, after {a} pages in pencil had faded.",
    "The baker and the carpenter have not spoken for {a} weeks; {x} carries messages between them.",
    "A comet was seen on {a} nights, low in the east, and blamed for most of what went wrong.",
    "The gauge stood at {a} inches in the morning and at {b} in the evening, without any wind.",
    "{x} repaired the pump with a spoon, and it has worked for {a} days without a pause.",
)

HARBOUR = World(
    place="a harbour",
    carrier="ship",
    leader="captain",
    unit="tonnes",
    brought="landed",
    carriers=(
        "Marigold",
        "Petrel",
        "Northern Star",
        "Halcyon",
        "Ondine",
        "Sea Thrift",
        "Kestrel",
        "Lodestar",
        "Windrush",
        "Grey Heron",
        "Amaranth",
        "Corsair",
        "Dovetail",
        "Evening Tide",
        "Fulmar",
        "Gannet",
    ),
    leaders=_LEADERS,
    towns=_TOWNS,
    goods=("salt", "timber", "coal", "wool", "grain", "iron", "slate", "hemp", "cork", "barley"),
    deliveries=(
        "On {date} the {who} landed {n} tonnes of {goods}.",
        "The {who} tied up on {date} and put {n} tonnes of {goods} on the quay.",
        "Our books for {date} show {n} tonnes of {goods} ashore from the {who}.",
        "From the hold of the {who} the cranes lifted {n} tonnes of {goods} on {date}.",
        "The {goods} that the {who} brought in on {date} weighed {n} tonnes.",
        "We took in {n} tonnes of {goods} on {date}; the {who} had carried them through a calm "
        "sea.",
        "After a night at anchor the {who} discharged her {goods} on {date}, {n} tonnes in all.",
    ),
    others=(
        "The {who} was expected on {date} with {n} tonnes of {goods} but turned back in the gale.",
        "On {date} the {who} took on {n} tonnes of {goods} for her outward voyage.",
        "There was a rumour on {date} that the {who} carried {n} tonnes of {goods}; nothing came "
        "of it.",
    ),
    corrections=(
        "A correction: the {goods} that the {who} landed on {date} came to {n} tonnes, not {old}.",
        "The weighing of {date} was wrong; instead of {old} tonnes of {goods}, the {who} had {n}.",
    ),
    commands=(
        "The {who} sails under {lead}.",
        "{lead} has been master of the {who} for as long as anyone remembers.",
        "On the bridge of the {who} one finds {lead}, in any weather.",
    ),
    origins=(
        "{lead} was born in {town} and says so often.",
        "Those who know {town} know the family of {lead}, who grew up there.",
        "{lead}, a native of {town}, sent us a barrel of apples.",
    ),
    filler=(
        *_ANYWHERE,
        "The tide ran {a} inches above the mark, and the steps by the chapel were under water.",
        "{x} caught a pike of {a} pounds off the mole and has told the story {b} times since.",
        "The lighthouse wants {a} new panes, and its keeper wants {b} weeks of rest.",
        "Divers looked at the piles of the old pier and found {a} of them sound.",
    ),
)

MOUNTAINS = World(
    place="a store in the mountains",
    carrier="mule train",
    leader="guide",
    unit="sacks",
    brought="delivered",
    carriers=(
        "Red Bell",
        "High Road",
        "Snowline",
        "Old Faithful",
        "Seven Stones",
        "Blue Harness",
        "Larch Hill",
        "Echo Valley",
        "Long Shadow",
        "Morning Frost",
        "Copper Shoe",
        "Quiet Hoof",
        "Ridgeway",
        "Stonechat",
    ),
    leaders=_LEADERS,
    towns=_TOWNS,
    goods=(
        "flour",
        "beans",
        "oats",
        "sugar",
        "lentils",
        "rice",
        "salt",
        "charcoal",
        "maize",
        "seed",
    ),
    deliveries=(
        "The {who} train reached us on {date} and left {n} sacks of {goods}.",
        "On {date} we signed for {n} sacks of {goods}, carried up by the {who} train.",
        "{n} sacks of {goods} went into the cellar on {date}, straight from the backs of the "
        "{who} mules.",
        "The {goods} of the {who} train, {n} sacks, was under our roof on {date}.",
        "With the {who} train came {n} sacks of {goods}; that was on {date}, a little before dark.",
        "The ledger has {n} sacks of {goods} against the {who} train for {date}.",
    ),
    others=(
        "The {who} train set out on {date} with {n} sacks of {goods} and lost them all at the "
        "ford.",
        "On {date} we gave the {who} train {n} sacks of {goods} to take down into the valley.",
        "The {who} train sent word on {date} of {n} sacks of {goods} that went to another store.",
    ),
    corrections=(
        "We counted again: on {date} the {who} train brought {n} sacks of {goods}, not {old}.",
        "An error of the clerk's: the {goods} of the {who} train of {date} was {n} sacks instead "
        "of {old}.",
    ),
    commands=(
        "The {who} train follows {lead}, who knows every bend.",
        "At the head of the {who} train walks {lead}.",
        "{lead} leads the {who} train and feeds its mules before anybody else eats.",
    ),
    origins=(
        "{lead} comes from {town}, where the road ends.",
        "In {town}, the home of {lead}, there was dancing for two nights.",
        "{lead} wrote home to {town} for a new pair of boots.",
    ),
    filler=(
        *_ANYWHERE,
        "An avalanche came down {a} yards from the door and took the fence with it.",
        "{x} shod {a} mules in one afternoon and slept through the next day.",
        "The upper path was closed for {a} days; the lower one is {b} miles longer.",
        "Wolves were heard on {a} nights and seen on none.",
    ),
)
