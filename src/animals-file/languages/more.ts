/** Languages with short tables: a line for each role of headings, and behind = for each family of statuses. */
import { FAMILIES, type Family, type Language, ROLES, type Role } from './language.ts'

const TABLES = [
  // Swedish
  `animal: djur, djuret, hund, katt, katten
  name: namn
  species: djurslag, djurart, art, slag
  status: status, läge
  number: nummer, nr, id, löpnummer
  chip: chip, chipnr, chipnummer, id-märkning
  came: ankomst, inkom, intag, inskriven
  date: datum, dag
  breed: ras
  other: kön, ålder, färg, född, anmärkning, ägare, jourhem, vikt, box, notering
  = available: tillgänglig, tillgänglig för adoption, söker hem, letar hem, till adoption, redo för adoption, adopterbar
  = pending: reserverad, bokad, tingad, prova-på, prova på adoption, prova-på adoption
  = foster: jourhem, i jourhem, fodervärd
  = sold: adopterad, såld, fått hem, flyttat hem, flyttat, nytt hem
  = gone: avliden, död, avlivad, avlivats, återlämnad till ägare, åter till ägare, överförd, rymd, flyttad till annat katthem
  = none: karantän, i karantän, under behandling, hos veterinär, nyinkommen, ej klar, ej redo, inte tillgänglig, inte tillgänglig för adoption, under utredning
  = not: inte, ej, icke
  yes: ja
  no: nej
  total: summa, totalt, antal`,
  // Danish and Norwegian
  `animal: dyr, dyret, hunden
  name: navn
  species: dyreart, art, dyretype
  status: status, tilstand
  number: nummer, nr, journalnr, journalnummer
  chip: chip, chipnr, chipnummer
  came: ankomst, indleveret, innlevert, modtaget, mottatt
  date: dato, dag
  breed: race, rase
  other: køn, kjønn, alder, farve, farge, født, bemærkning, merknad, ejer, eier, vægt, vekt, plejefamilie, fosterhjem
  = available: til adoption, klar til adoption, søger hjem, søker hjem, til adopsjon, klar for adopsjon, ledig, tilgængelig, tilgjengelig
  = pending: reserveret, reservert
  = foster: i pleje, plejefamilie, fosterhjem, i fosterhjem
  = sold: adopteret, adoptert, solgt, formidlet, omplassert, fået hjem, fått hjem
  = gone: død, aflivet, avlivet, tilbage til ejer, tilbake til eier, overflyttet, overført
  = none: karantæne, karantene, under behandling, hos dyrlæge, hos veterinær, ikke klar, ikke tilgængelig, ikke tilgjengelig
  = not: ikke, ej
  yes: ja
  no: nej, nei
  total: total, sum, antal, antall`,
  // Czech
  `page: windows-1250
  animal: zvíře, zvířete, pes, kočka
  name: jméno
  species: druh, druh zvířete
  status: stav
  number: číslo, kód, evidenční číslo, ev č
  chip: čip, číslo čipu
  came: příjem, přijetí, přijat, přijato, nalezen
  date: datum, den
  breed: plemeno, rasa
  place: umístění
  other: pohlaví, věk, barva, narozen, poznámka, majitel, váha, kotec
  = available: k adopci, k dispozici, k dispozici pro adopci, hledá domov, nabízen k adopci, nabízeno
  = pending: rezervace, rezervováno, rezervován, zkušební přijetí, zamluven, zamluveno
  = foster: dočasná péče, v dočasné péči, dočaska
  = sold: adoptováno, adoptován, adoptovaná, prodáno, nový domov
  = gone: uhynulo, uhynul, usmrceno, utraceno, eutanazie, vráceno majiteli, vrácen majiteli, přesunuté, přesunuto, předáno
  = none: karanténa, v karanténě, léčení, v léčbě, u veterináře, není k dispozici, není k dispozici pro adopci
  = not: není, ne, nelze, bez
  yes: ano
  no: ne
  total: celkem, součet`,
  // Hungarian
  `page: windows-1250
  animal: állat, kutya, macska
  name: név, neve
  species: faj, állatfaj, fajta csoport
  status: állapot, státusz, státusza
  number: szám, azonosító, sorszám, nyilvántartási szám, kód
  chip: chip, chipszám, mikrochip
  came: bekerülés, bekerült, érkezés, érkezett, felvétel
  date: dátum, dátuma, ideje, napja
  breed: fajta
  other: nem, ivar, kor, szín, született, megjegyzés, gazda, tulajdonos, súly, kennel
  = available: gazdira vár, gazdát keres, örökbefogadható, örökbe fogadható, elérhető
  = pending: foglalt, lefoglalva, folyamatban
  = foster: ideiglenes befogadónál, ideiglenesnél, ideiglenes
  = sold: örökbefogadva, örökbe fogadva, örökbe adva, gazdis, gazdira talált, elvitték
  = gone: elpusztult, elhunyt, elaltatva, visszakerült a gazdájához, gazdájához visszakerült, átadva, elszökött
  = none: karantén, karanténban, kezelés alatt, beteg, nem örökbefogadható, nem elérhető
  = not: nem, még nem, nincs
  yes: igen
  no: nem
  total: összesen`,
  // Turkish
  `page: windows-1254
  animal: hayvan, köpek, kedi
  name: adı, ad, isim, ismi
  species: tür, türü, cinsi
  status: durum, durumu
  number: numara, no, küpe no, kayıt no, kimlik no
  chip: çip, çip no, mikroçip
  came: geliş, giriş, alınış, kabul
  date: tarih, tarihi
  breed: ırk, ırkı
  other: cinsiyet, yaş, renk, doğum, not, açıklama, sahip, kilo, padok, kafes
  = available: sahiplendirilebilir, sahiplendirmeye uygun, yuva arıyor, sahip arıyor
  = pending: rezerve, rezerve edildi, ayrıldı
  = foster: geçici yuvada, geçici yuva
  = sold: sahiplendirildi, yuvalandı
  = gone: öldü, ex, ötenazi, uyutuldu, sahibine teslim edildi, alındığı ortama bırakıldı, doğaya bırakıldı, nakledildi, kaçtı
  = none: tedavide, karantinada, karantina, tedavi altında, sahiplendirilemez, gözlemde
  = not: değil, uygun değil
  yes: evet
  no: hayır
  total: toplam`,
  // Russian
  `page: windows-1251
  animal: животное, животного, питомец
  name: кличка, имя
  species: вид, вид животного
  status: статус, состояние
  number: номер, №, код, рег номер
  chip: чип, номер чипа, микрочип
  came: поступление, поступил, поступила, прибытие, поступления
  date: дата, день
  breed: порода
  other: пол, возраст, окрас, цвет, рождения, примечание, владелец, вес, вольер, куратор
  = available: ищет дом, ищет хозяина, в поисках дома, свободен, свободна, можно забрать, готов к пристройству
  = pending: бронь, забронирован, забронирована, резерв, в резерве
  = foster: на передержке, передержка
  = sold: пристроен, пристроена, дома, отдан, отдана, нашел дом, нашла дом
  = gone: умер, умерла, погиб, погибла, усыплен, усыплена, эвтаназия, возвращен хозяину, возвращена хозяину, передан, передана, выпущен
  = none: карантин, на карантине, на лечении, лечение, не пристраивается, стационар
  = not: не, нет, нельзя
  yes: да
  no: нет
  total: итого, всего`,
  // Japanese
  `page: shift_jis
  animal: 動物, 犬, 猫
  name: 名前, 呼び名, 仮名, 愛称, 動物名
  species: 種類, 動物種, 種別, 犬猫
  status: 状態, 状況, ステータス, 譲渡状況
  number: 番号, 管理番号, 個体番号, 整理番号, 受付番号
  chip: マイクロチップ, マイクロチップ番号
  came: 収容, 収容日, 保護日, 受入日, 入所日
  date: 日, 日付, 年月日
  breed: 品種, 犬種, 猫種
  place: 収容場所, 場所
  other: 性別, 年齢, 毛色, 体格, 体重, 備考, 生年月日, 特徴
  = available: 募集中, 譲渡可, 譲渡可能, 里親募集中, 譲渡対象, 譲渡募集中
  = pending: 予約済, 予約中, 商談中, トライアル中, トライアル
  = foster: 預かり中, 預かりボランティア, ミルクボランティア
  = sold: 譲渡済, 譲渡済み, 譲渡, 卒業
  = gone: 死亡, 返還, 返還済, 殺処分, 移送, 逃走, 飼い主返還
  = none: 隔離中, 治療中, 検疫中, 譲渡不可, 観察中, 収容中, 準備中
  = not: 不可, 未
  yes: はい, 有
  no: いいえ, 無
  total: 合計, 計`,
  // Greek
  `page: windows-1253
  animal: ζώο, ζώου, σκύλος, γάτα
  name: όνομα
  species: είδος, είδος ζώου
  status: κατάσταση, κατασταση υιοθεσίας
  number: αριθμός, κωδικός, α/α
  chip: τσιπ, αριθμός τσιπ, microchip
  came: εισαγωγή, άφιξη, εισόδου
  date: ημερομηνία
  breed: ράτσα, φυλή
  other: φύλο, ηλικία, χρώμα, γέννησης, σχόλια, παρατηρήσεις, ιδιοκτήτης, βάρος
  = available: διαθέσιμο, διαθέσιμος, διαθέσιμη, προς υιοθεσία, ψάχνει σπίτι
  = pending: κρατημένο, σε αναμονή, δεσμευμένο
  = foster: σε φιλοξενία, φιλοξενία
  = sold: υιοθετήθηκε, υιοθετημένο
  = gone: απεβίωσε, πέθανε, ευθανασία, επιστράφηκε στον ιδιοκτήτη, μεταφέρθηκε
  = none: καραντίνα, σε θεραπεία, σε καραντίνα, μη διαθέσιμο
  = not: δεν, μη, όχι
  yes: ναι
  no: όχι
  total: σύνολο`,
  // Hebrew
  `page: windows-1255
  animal: חיה, כלב, חתול, בעל חיים
  name: שם
  species: סוג, מין החיה
  status: סטטוס, מצב
  number: מספר, מזהה, קוד
  chip: שבב, מספר שבב
  came: קליטה, הגעה, נקלט
  date: תאריך
  breed: גזע
  other: מין, גיל, צבע, לידה, הערות, בעלים, משקל
  = available: ממתין לאימוץ, ממתינה לאימוץ, לאימוץ, זמין לאימוץ, מחפש בית, מחפשת בית
  = pending: שמור, שמורה, בקשה בהמתנה, תקופת ניסיון
  = foster: באומנה, אומנה, בית אומנה
  = sold: אומץ, אומצה, נמצא בית
  = gone: נפטר, נפטרה, הומת, הוחזר לבעלים, הוחזרה לבעלים, הועבר
  = none: בהסגר, בטיפול, לא זמין, לא זמינה
  = not: לא, אינו, אין
  yes: כן
  no: לא
  total: סך הכל`,
] as const

export const MORE: readonly Language[] = TABLES.map(toLanguage)

function toLanguage(text: string): Language {
  const entries = new Map(text.split('\n').map((line) => line.trim().split(/: (.*)/s, 2) as [string, string]))
  const of = <Key extends string>(keys: readonly Key[], before = '') =>
    Object.fromEntries(keys.map((key) => [key, entries.get(`${before}${key}`) ?? ''])) as Record<Key, string>
  const { page, yes, no, total } = of(['page', 'yes', 'no', 'total'])
  const families = Object.keys(FAMILIES) as Family[]
  return { ...(page !== '' && { page }), headings: of<Role>(ROLES), statuses: of(families, '= '), yes, no, total }
}
