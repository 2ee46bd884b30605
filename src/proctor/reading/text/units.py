"""Units of measure, with their dimensions and conversion factors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    """A unit: `value * factor + offset` is the amount in the base unit of its dimension."""

    name: str
    dimension: str
    factor: float = 1.0
    offset: float = 0.0


# Dimension → lines of "name, other names = factor"; prefixes k, M … are spelled out where they are common.
_TABLE = {
    "length": """
        m, metre, meter, metres, meters = 1
        km, kilometre, kilometer, kilometres, kilometers, kms = 1000
        cm, centimetre, centimeter, centimetres, centimeters = 0.01
        mm, millimetre, millimeter, millimetres, millimeters = 0.001
        nm, nanometre, nanometer, nanometres, nanometers = 1e-9
        mile, miles, mi = 1609.344
        nautical mile, nautical miles, nmi = 1852
        yard, yards, yd, yds = 0.9144
        foot, feet, ft = 0.3048
        inch, inches = 0.0254
        light year, light years, light-year, light-years = 9.4607304725808e15""",
    "area": """
        m^2, sqm, sq m, square metre, square meter, square metres, square meters = 1
        km^2, sq km, square kilometre, square kilometer, square kilometres, square kilometers = 1e6
        sq mi, square mile, square miles = 2589988.110336
        sq ft, square foot, square feet = 0.09290304
        hectare, hectares, ha = 1e4
        acre, acres = 4046.8564224""",
    "volume": """
        l, litre, liter, litres, liters = 1
        ml, millilitre, milliliter, millilitres, milliliters = 0.001
        cl, centilitre, centiliter, centilitres, centiliters = 0.01
        m^3, cubic metre, cubic meter, cubic metres, cubic meters = 1000
        gallon, gallons, gal = 3.785411784
        pint, pints = 0.473176473""",
    "mass": """
        kg, kilogram, kilograms, kilogramme, kilogrammes, kilo, kilos, kgs = 1
        g, gram, grams, gramme, grammes = 0.001
        mg, milligram, milligrams = 1e-6
        tonne, tonnes, metric ton, metric tons = 1000
        ton, tons = 907.18474
        pound, lb, lbs = 0.45359237
        ounce, ounces, oz = 0.028349523125
        stone, stones = 6.35029318""",
    "time": """
        s, sec, secs, second, seconds = 1
        ms, millisecond, milliseconds, msec = 0.001
        min, mins, minute, minutes = 60
        h, hr, hrs, hour, hours = 3600
        day, days = 86400
        week, weeks, wk, wks = 604800
        fortnight, fortnights = 1209600""",
    "months": """
        month, months = 1
        quarter, quarters = 3
        year, years, yr, yrs, years old, year old, years of age = 12
        decade, decades = 120
        century, centuries = 1200
        millennium, millennia = 12000""",
    "data": """
        byte, bytes = 1
        kb, kilobyte, kilobytes = 1e3
        mb, megabyte, megabytes, meg, megs = 1e6
        gb, gigabyte, gigabytes, gig, gigs = 1e9
        tb, terabyte, terabytes = 1e12
        pb, petabyte, petabytes = 1e15
        kib, kibibyte, kibibytes = 1024
        mib, mebibyte, mebibytes = 1048576
        gib, gibibyte, gibibytes = 1073741824""",
    "bits": """
        bit, bits = 1
        kbit, kilobit, kilobits = 1e3
        mbit, megabit, megabits = 1e6
        gbit, gigabit, gigabits = 1e9""",
    "length/time": """
        m/s, metres per second, meters per second = 1
        km/h, kph, kmh, kilometres per hour, kilometers per hour = 0.2777777777777778
        mph, miles per hour = 0.44704
        knot, knots = 0.5144444444444445""",
    "bits/time": """
        bps, bit/s = 1
        kbps, kbit/s = 1e3
        mbps, mbit/s = 1e6
        gbps, gbit/s = 1e9""",
    "power": """
        w, watt, watts = 1
        kw, kilowatt, kilowatts = 1e3
        mw, megawatt, megawatts = 1e6
        gw, gigawatt, gigawatts = 1e9
        hp, horsepower = 745.6998715822702""",
    "energy": """
        j, joule, joules = 1
        kj, kilojoule, kilojoules = 1e3
        cal, calorie, calories = 4.184
        kcal, kilocalorie, kilocalories = 4184
        wh, watt hour, watt hours = 3600
        kwh, kilowatt hour, kilowatt hours, kilowatt-hours = 3.6e6""",
    "frequency": """
        hz, hertz = 1
        khz, kilohertz = 1e3
        mhz, megahertz = 1e6
        ghz, gigahertz = 1e9
        rpm = 0.016666666666666666""",
    "voltage": """
        v, volt, volts = 1
        kv, kilovolt, kilovolts = 1e3""",
    "current": """
        amp, amps, ampere, amperes = 1
        ma, milliamp, milliamps = 0.001""",
    "pressure": """
        pa, pascal, pascals = 1
        hpa, hectopascal, hectopascals = 100
        kpa, kilopascal, kilopascals = 1e3
        bar, bars = 1e5
        psi = 6894.757293168
        atm, atmosphere, atmospheres = 101325""",
    "share": """
        %, percent, per cent, pct = 0.01
        percentage point, percentage points, pp = 0.01
        ‰, per mille = 0.001""",
    "angle": """
        °, degree, degrees, deg = 1
        radian, radians, rad = 57.29577951308232""",
    "USD": "$, usd, us$, dollar, dollars, us dollar, us dollars = 1",
    "EUR": "€, eur, euro, euros = 1",
    "GBP": "£, gbp, pounds sterling, pound sterling, sterling, quid = 1 | pence = 0.01",
    "JPY": "¥, jpy, yen = 1",
    "CNY": "cny, rmb, yuan = 1",
    "INR": "₹, inr, rupee, rupees = 1",
    "CHF": "chf, swiss franc, swiss francs = 1",
    "AUD": "aud, a$, australian dollar, australian dollars = 1",
    "CAD": "cad, c$, canadian dollar, canadian dollars = 1",
}
_KELVIN = (
    ("kelvin", ("k", "kelvin", "kelvins", "°k", "degrees kelvin"), 1.0, 0.0),
    ("celsius", ("°c", "° c", "degrees celsius", "degree celsius", "degrees c", "celsius", "centigrade"), 1.0, 273.15),
    (
        "fahrenheit",
        ("°f", "° f", "degrees fahrenheit", "degree fahrenheit", "degrees f", "fahrenheit"),
        5 / 9,
        459.67 * 5 / 9,
    ),
)


def _lines() -> Iterator[tuple[str, Unit]]:
    for dimension, block in _TABLE.items():
        for line in block.replace("|", "\n").strip().splitlines():
            names, _, factor = line.rpartition("=")
            first, *others = (name.strip() for name in names.split(","))
            unit = Unit(name=first, dimension=dimension, factor=float(factor))
            yield from ((name, unit) for name in (first, *others))
    for name, others_, factor_, offset in _KELVIN:
        unit = Unit(name=name, dimension="temperature", factor=factor_, offset=offset)
        yield from ((other, unit) for other in others_)


_PREFIXES = {"kilo": 1e3, "mega": 1e6, "giga": 1e9, "milli": 1e-3, "micro": 1e-6, "nano": 1e-9}
_SYMBOLS = {"": 1.0, "k": 1e3, "m": 1e-3, "μ": 1e-6, "u": 1e-6, "mc": 1e-6, "n": 1e-9}
_OF_ONE_LETTER = frozenset(("μ", "mc"))
"""Prefixes that form no other word with a one-letter symbol (unlike `us`, `un`)."""
# SI units that take any prefix; lower case is ambiguous: `m` is milli, unless the table above says mega.
_PREFIXED = {
    "sievert": ("sv", "dose"), "gray": ("gy", "absorbed dose"), "becquerel": ("bq", "activity"),
    "newton": ("n", "force"), "ohm": ("ω", "resistance"), "farad": ("f", "capacitance"), "tesla": ("t", "flux"),
    "mole": ("mol", "substance"), "volt": ("v", "voltage"), "ampere": ("a", "current"), "watt": ("w", "power"),
    "joule": ("j", "energy"), "hertz": ("hz", "frequency"), "pascal": ("pa", "pressure"), "gram": ("g", "mass"),
    "litre": ("l", "volume"), "liter": ("l", "volume"), "metre": ("m", "length"), "meter": ("m", "length"),
    "second": ("s", "time"), "lumen": ("lm", "light"), "lux": ("lx", "illuminance"),
}  # fmt: skip


def _prefixed_units() -> Iterator[tuple[str, Unit]]:
    for name, (symbol, dimension) in _PREFIXED.items():
        own = 1e-3 if dimension == "mass" else 1.0
        names = [(name, own)] + [(f"{prefix}{name}", own * factor) for prefix, factor in _PREFIXES.items()]
        names += [(f"{name}s", factor) for name, factor in names]
        names += [
            (f"{prefix}{symbol}", own * factor)
            for prefix, factor in _SYMBOLS.items()
            if len(symbol) > 1 or prefix in _OF_ONE_LETTER
        ]
        yield from ((name, Unit(name=name, dimension=dimension, factor=factor)) for name, factor in names)


UNITS: dict[str, tuple[Unit, ...]] = {name: (unit,) for name, unit in (*_prefixed_units(), *_lines())}
# `pounds` are a weight and a currency; the other side of a comparison decides.
UNITS["pounds"] = (UNITS["pound"][0], UNITS["£"][0])
UNITS["pound"] = UNITS["pounds"]
UNITS["cent"] = UNITS["cents"] = tuple(
    Unit(name="cent", dimension=currency, factor=0.01) for currency in ("USD", "EUR", "AUD", "CAD")
)
for _symbol in ("sv", "gy", "bq", "mol"):  # in lower case mega and milli look alike
    UNITS[f"m{_symbol}"] += tuple(replace(unit, factor=1e6) for unit in UNITS[_symbol])
UNITS["degrees"] = UNITS["degree"] = UNITS["°"] = (
    UNITS["°"][0],
    *(Unit(name="degree", dimension="temperature", factor=f, offset=o) for _, _, f, o in _KELVIN[1:]),
)
"""Normalised name -> the unit, or the units that it may mean."""


def units_named(name: str) -> tuple[Unit, ...]:
    """Return the units that a name may mean; a rate (`km/s`, `litres per day`) combines two. Empty if unknown."""
    if name in UNITS:
        return UNITS[name]
    amount, slash, time = name.replace(" per ", "/").partition("/")
    above, below = UNITS.get(amount), UNITS.get(time)
    if not slash or above is None or below is None:
        return ()
    one, other = above[0], below[0]
    if one.dimension.isupper() or one.dimension == "share":
        return ()  # a price or an interest rate: only the money or the share is compared
    return (Unit(name=name, dimension=f"{one.dimension}/{other.dimension}", factor=one.factor / other.factor),)


MULTIPLIERS: dict[str, float] = {
    "hundred": 1e2,
    "thousand": 1e3,
    "lakh": 1e5,
    "million": 1e6,
    "mn": 1e6,
    "mio": 1e6,
    "crore": 1e7,
    "billion": 1e9,
    "bn": 1e9,
    "trillion": 1e12,
    "dozen": 12.0,
    "hundreds": 1e2,
    "thousands": 1e3,
    "millions": 1e6,
    "billions": 1e9,
    "trillions": 1e12,
}
LETTER_MULTIPLIERS: dict[str, float] = {"k": 1e3, "m": 1e6, "b": 1e9}
"""Letters that are multipliers (1k, 2.5M) and possibly units (373 K, 5 m)."""
