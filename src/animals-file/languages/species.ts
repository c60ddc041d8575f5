/** Words for each species. The first of each language names a new category. Each word of `each` is a separate species. */
const TABLE = `dog: dog, canine, k9 | hund, hunde, hündin, rüde | chien, chiens, chienne, chiennes, canin | perro, perros, perra, perras, can, canino, canina | cane, cani, cagna | cachorro, cachorros, cachorra, cão, cães, cadela, canino, canina, canídeo | hond, honden, teef, reu | pies, psy, suka, suczka | 개, 강아지, 견 | hund, hundar, hunde | hund, hunder | pes, psi, fena | kutya, kutyák | köpek, köpekler | собака, собаки, пёс, пес | 犬, いぬ, イヌ | σκύλος, σκύλοι, σκυλί | כלב, כלבה, כלבים
puppy: puppy, pup, puppies | welpe, welpen | chiot, chiots | cachorro, cachorros, cachorra | cucciolo, cuccioli | filhote, filhotes | pup, pups, puppy | szczenię, szczeniak, szczenięta | valp, valpar | hvalp | štěně, štěňata | yavru köpek | щенок, щенки | 子犬 | κουτάβι | גור, גורים
cat: cat, feline, domestic cat | katze, katzen, kater, hauskatze | chat, chats, chatte, chattes, félin | gato, gatos, gata, gatas, felino, felina | gatto, gatti, gatta, felino | gato, gatos, gata, gatas, felino, felina, felídeo | kat, katten, poes, poezen, kater | kot, koty, kotka, kocur | 고양이, 묘 | katt, katter | kat, katte | kočka, kočky, kocour | macska, cica | kedi, kediler | кошка, кошки, кот | 猫, ねこ, ネコ | γάτα, γάτες, γάτος | חתול, חתולה, חתולים
kitten: kitten | kätzchen, kitten, katzenkind, katzenwelpe | chaton, chatons | gatito, gatitos, gatita | gattino, gattini, micio | gatinho, gatinhos | kitten, kittens | kocię, kociak, kocięta | kattunge | kattungar, killing | kotě, koťata | yavru kedi | котёнок, котенок, котята | 子猫 | γατάκι
rabbit: rabbit, bunny, domestic rabbit | kaninchen, hase, hasen, zwergkaninchen | lapin, lapins, lapine | conejo, conejos, coneja | coniglio, conigli | coelho, coelhos, coelha | konijn, konijnen | królik, króliki | 토끼 | kanin, kaniner | králík, králíci | nyúl | tavşan | кролик, кролики | うさぎ, ウサギ | κουνέλι | ארנב, ארנבת
guinea pig: guinea pig, guineapig, cavy | meerschweinchen, meeri, meeris | cochon d'inde, cochons d'inde, cobaye | cobaya, cobayas, cuy, cuyo, conejillo de indias | cavia, cavie, porcellino d'india | porquinho-da-índia, porquinho da índia, porco-da-índia | cavia, cavia's | świnka morska, świnki morskie, kawia domowa | 기니피그 | marsvin | morče, morčata | tengerimalac | морская свинка | モルモット | שרקן
hamster: hamster | hamster | hamster | hámster, hamsters | criceto, criceti | hamster | hamster, hamsters | chomik, chomiki | 햄스터 | křeček | hörcsög | хомяк | ハムスター | אוגר
mouse: mouse, mice | maus, mäuse | souris | ratón, ratones | topo, topi | rato | muis, muizen | mysz, myszy
rat: rat | ratte, ratten | rat | rata, ratas | ratto, ratti | rat, ratten | szczur, szczury
gerbil: gerbil | rennmaus, rennmäuse
chinchilla: chinchilla | chinchilla, chinchillas, degu, degus | szynszyla
ferret: ferret | frettchen | furet, furets | hurón, hurones | furetto, furetti | furão | fret, fretten | fretka, fretki | 페럿 | iller | fretka | хорёк, хорек | フェレット
hedgehog: hedgehog | igel | jeż | 고슴도치
rodent: rodent | nager, nagetier, nagetiere | rongeur, rongeurs | roedor, roedores | roditore, roditori | roedor, roedores | knaagdier, knaagdieren | gryzoń, gryzonie
small animal: small animal, small & furry, small and furry, small furry, small mammal, smallanimal, small pet, pocket pet | kleintier, kleintiere | nac, petit animal, petits animaux | animal pequeño, pequeños animales | klein dier, kleine dieren, kleinvee
bird: bird, avian | vogel, vögel, taube, tauben, geflügel, kanarienvogel, ziervogel | oiseau, oiseaux, pigeon, canari, volaille, tourterelle | ave, aves, pájaro, pájaros, paloma, canario | uccello, uccelli, volatile, volatili, piccione, canarino | ave, aves, pássaro, pássaros, pombo, canário | vogel, vogels, duif, duiven | ptak, ptaki, gołąb | 새, 조류, 앵무새 | fågel, fåglar | fugl, fugle, fugler | pták, ptáci | madár | kuş, kuşlar | птица, птицы | 鳥, とり | πουλί, πτηνό | ציפור, עוף
parrot: parrot | papagei, papageien, sittich, sittiche, wellensittich, wellensittiche, nymphensittich | perroquet, perruche, perruches | loro, loros, periquito, cotorra | pappagallo, pappagalli | papagaio, periquito, calopsita | papegaai, parkiet, parkieten | papuga, papugi | papegoja | papegøje, papegøye | papoušek | papağan | попугай | インコ | παπαγάλος | תוכי
chicken: chicken, hen | huhn, hühner, hahn | poule, poules, coq | gallina, gallinas, gallo, pollo | gallina, galline, gallo | galinha, galo | kip, kippen, haan | kura, kury, kogut | 닭
duck: duck | ente, enten | canard, canards | pato, patos | anatra, anatre | pato | eend, eenden | kaczka
goose: goose, geese | gans, gänse | gans, ganzen
horse: horse, equine | pferd, pferde, pony, ponys | cheval, chevaux, équidé, équidés, poney | caballo, caballos, yegua, équido, equino, poni | cavallo, cavalli, equino, pony | cavalo, cavalos, égua, equino, equídeo | paard, paarden, pony | koń, konie, kucyk | häst, hästar | hest, heste, hester | kůň, koně | лошадь | 馬 | άλογο | סוס
donkey: donkey | esel | âne, ânes | burro, burros, asno | asino, asini | burro, jumento | ezel, ezels | osioł
goat: goat, caprine | ziege, ziegen | chèvre, chèvres, bouc | cabra, cabras | capra, capre | cabra, cabras, bode | geit, geiten | koza, kozy | geit | koza | kecske | keçi | коза | ヤギ | עז
sheep: sheep, ovine | schaf, schafe | mouton, moutons, brebis | oveja, ovejas | pecora, pecore | ovelha, ovelhas | schaap, schapen | owca, owce
pig: pig, hog, swine, porcine | schwein, schweine, minischwein | cochon, cochons, porc | cerdo, cerdos, cerdo mini | maiale, maiali, suino | porco, porcos | varken, varkens | świnia, świnie | 돼지
cow: cow, cattle, bovine | rind, rinder, kuh | vache, bovin | vaca, vacas | mucca, mucche | vaca, bovino, boi | koe, koeien | krowa
livestock: livestock, farm animal, farm, barnyard | nutztier, nutztiere, hoftier, hoftiere | animal de ferme, ferme, animaux de ferme | animal de granja, granja | boerderijdier, boerderijdieren
reptile: reptile, reptilian | reptil, reptilien, echse, echsen | reptile, lézard | reptil, reptiles | rettile, rettili | réptil, répteis | reptiel, reptielen, hagedis | gad, gady, jaszczurka
snake: snake | schlange, schlangen | serpent | serpiente | serpente, serpenti | cobra | slang, slangen | wąż, węże
turtle: turtle | schildkröte, schildkröten, landschildkröte, wasserschildkröte | tortue, tortues | tortuga, tortugas | tartaruga, tartarughe | tartaruga, jabuti, cágado | schildpad, schildpadden | żółw, żółwie | 거북, 거북이
fish: fish | fisch, fische | poisson, poissons | pez, peces | pesce, pesci | peixe, peixes | vis, vissen | ryba, ryby
wildlife: wildlife, wild animal | wildtier, wildtiere | animal sauvage, faune sauvage, sauvage | fauna silvestre, silvestre, salvaje | fauna selvatica, selvatico, selvatici | animal silvestre, silvestre, silvestres | wild dier, wilde dieren | dzikie zwierzę, dzikie
exotic: exotic, exotic animal | exot, exoten | exótico, exóticos | esotico, esotici | exótico, exóticos | egzotyczne
other: other, misc, miscellaneous, unknown | sonstige, sonstiges, andere, anderes | autre, autres | otro, otros, otra, otras | altro, altri | outro, outros, outra | overig, overige, anders, andere | inny, inne | 기타, 기타축종 | annat, övrigt, andre, andet, annet | ostatní, jiné | egyéb | diğer | другое, прочее | その他 | άλλο | אחר
each: alpaca, amphibian, bat, bearded dragon, budgie, budgerigar, canary, cockatiel, cockatoo, conure, coyote, crow, deer, dove, emu, finch, foal, fox, frog, gecko, groundhog, guinea fowl, gull, hare, lizard, hawk, iguana, kangaroo, koala, lamb, livebird, llama, lovebird, macaw, mare, mule, opossum, owl, parakeet, peacock, pheasant, pigeon, pony, possum, potbelly pig, poultry, fowl, python, quail, raccoon, rooster, scales fins & other, seagull, skunk, squirrel, steer, swan, toad, tortoise, tomcat, turkey, wallaby`

export const SPECIES: readonly (readonly [kind: string, words: string])[] = TABLE.split('\n').flatMap((line) => {
  const [kind = '', words = ''] = line.split(': ')
  return kind === 'each' ? words.split(', ').map((word) => [word, word] as const) : [[kind, words] as const]
})
