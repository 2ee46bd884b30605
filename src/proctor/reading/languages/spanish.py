"""Spanish vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

WORDS = """
the = el, la, los, las, lo
a = un, una, unos, unas
and = y, e
or = o, u
but = pero, sino
because = porque, ya que
if = si
than = que
of = de, del
in = en
at = a, al
to = hacia
for = para, por
with = con
without = sin
on = sobre
from = desde
until = hasta, hasta el, antes del
about = aproximadamente, unos, cerca de, alrededor de, casi, más o menos
at least = al menos, por lo menos, como mínimo
at most = como máximo, a lo sumo
more than = más de
less than = menos de
between = entre
except = excepto, salvo, menos
instead of = en vez de, en lugar de
before = antes
after = después
during = durante
every = cada, todos los, todas las
all = todos, todas, todo, toda
only = solo, sólo, solamente, únicamente
also = también
still = todavía, aún
already = ya
here = aquí
there = allí
it = ello, se
you = usted, ustedes, tú, te, le
we = nosotros, nos
i = yo, me
my = mi, mis
your = tu, tus, su, sus
our = nuestro, nuestra, nuestros, nuestras
this = este, esta, esto, estos, estas
that = ese, esa, eso
is = es, está
are = son, están
was = fue, era, estaba
were = fueron, eran
be = ser, estar
has = ha, he, has
have = han, hemos, tengo, tiene, tienes, tienen
there is = hay
can = puede, pueden, puedes, puedo, podemos, se puede
must = debe, deben, debes, debo, hay que, tiene que, tienes que, tengo que, debemos
need = necesita, necesitas, necesito, hace falta, necesitan
who = quién, quiénes
what = qué
which = cuál, cuáles
when = cuándo, cuando
where = dónde, donde
why = por qué
how = cómo, como
how many = cuántos, cuántas
how much = cuánto, cuánta
at what time = a qué hora
yes = sí
no = ningún, ninguna
not = no
never = nunca, jamás
nobody = nadie
nothing = nada
neither = ni
no longer = ya no
not only = no solo, no sólo
under no circumstances = en ningún caso
of course = claro, por supuesto, desde luego, naturalmente, claro que sí, sin duda, sin problema
certainly = seguro
no problem = ningún problema, no hay problema
sadly = lamentablemente, desgraciadamente, por desgracia
sorry = lo siento, perdón, disculpa, disculpe
perhaps = quizás, quizá, tal vez, a lo mejor
probably = probablemente
i think = creo que, pienso que, creo
i am not sure = no estoy seguro, no estoy segura
i do not know = no lo sé, no sé, ni idea, no tengo información, lo desconozco
hello = hola, buenos días, buenas tardes
thank you = gracias, muchas gracias
the answer is = la respuesta es, la respuesta correcta es
please = por favor
open = abierto, abierta, abiertos, abiertas
closed = cerrado, cerrada, cerrados, cerradas
allowed = permitido, permitida, permitidos, permitidas, autorizado
forbidden = prohibido, prohibida, prohibidos, prohibidas
accepted = aceptado, aceptada
possible = posible
impossible = imposible
necessary = necesario, necesaria
mandatory = obligatorio, obligatoria
optional = opcional, voluntario
free = gratis, gratuito, gratuita, gratuitos
included = incluido, incluida, incluidos
covered = cubierto, cubierta, cubiertos
available = disponible, disponibles
true = verdad, verdadero, cierto, correcto
false = falso, falsa, incorrecto
day = día
days = días
week = semana
weeks = semanas
month = mes
months = meses
year = año
years = años
hour = hora
hours = horas
minute = minuto
minutes = minutos
second = segundo
seconds = segundos
metre = metro, metros
kilometre = kilómetro, kilómetros
gram = gramo, gramos
kilo = kilo, kilos, kilogramo, kilogramos
tonne = tonelada, toneladas
litre = litro, litros
percent = por ciento
degrees = grados, grado
euro = euro, euros
per year = al año, por año, anual
per month = al mes, por mes, mensual
per week = a la semana, por semana
per day = al día, por día
per person = por persona
half an hour = media hora
and a half = y medio, y media
half = medio, media
dozen = docena
thousand = mil, miles
million = millón, millones, millón de, millones de
billion = mil millones, mil millones de
once = una vez
twice = dos veces
january = enero
february = febrero
march = marzo
april = abril
may = mayo
june = junio
july = julio
august = agosto
september = septiembre, setiembre
october = octubre
november = noviembre
december = diciembre
monday = lunes
tuesday = martes
wednesday = miércoles
thursday = jueves
friday = viernes
saturday = sábado, sábados
sunday = domingo, domingos
mr = señor, sr, don
mrs = señora, sra, doña
"""
ORDINALS = "primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo"
_ONES = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
    "diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis "
    "veintisiete veintiocho veintinueve"
)
_TENS = "treinta cuarenta cincuenta sesenta setenta ochenta noventa"
_HUNDREDS = "cient doscient trescient cuatrocient quinient seiscient setecient ochocient novecient"


def numbers() -> Iterator[tuple[str, float]]:
    """Yield number words and their values; `un` alone is an article."""
    below = {value: _below_hundred(value) for value in range(100)}
    yield from ((word, value) for value, word in below.items())
    yield from (("veintiún", 21), ("cien", 100))
    for times, stem in enumerate(_HUNDREDS.split(), 1):
        for hundred in {"ciento"} if times == 1 else {f"{stem}os", f"{stem}as"}:
            yield hundred, times * 100
            yield from ((f"{hundred} {below[value]}", times * 100 + value) for value in range(1, 100))
    for times in range(1, 21):
        thousand = "mil" if times == 1 else f"{below[times]} mil"
        hundreds = ((f"{stem}os", h) for h, stem in enumerate(_HUNDREDS.split(), 1))
        yield from ((f"{thousand} {hundred}", times * 1000 + h * 100) for hundred, h in (*hundreds, ("cien", 1)))


def ordinals() -> Iterator[tuple[str, int]]:
    """Yield ordinal words of either gender, and their values."""
    for value, word in enumerate(ORDINALS.split(), 1):
        yield from ((word[:-1] + ending, value) for ending in ("o", "a", "os", "as"))
    yield from (("primer", 1), ("tercer", 3))


def _below_hundred(value: int) -> str:
    if value < 30:
        return _ONES.split()[value]
    tens, one = _TENS.split()[value // 10 - 3], value % 10
    return tens if not one else f"{tens} y {_ONES.split()[one]}"
