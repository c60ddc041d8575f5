/** The Polish table; language.ts explains its entries. */
import type { Language } from './language.ts'

export const polish: Language = {
  page: 'windows-1250',
  headings: {
    animal: 'zwierzę, zwierzęcia, zwierzęta, zwierzaka, zwierzak, pies, psa, kot, kota, podopieczny',
    name: 'imię, imiona, nazwa',
    species: 'gatunek, rodzaj, gatunek zwierzęcia, rodzaj zwierzęcia, kategoria',
    type: 'typ',
    status: 'status, stan, dostępność, status adopcji, status adopcyjny, stan adopcji, sytuacja, etap',
    outcome: 'wyjście, powód wyjścia, opuszczenie, los, losy, sposób wydania, wydanie, wybycie',
    number:
      'nr, numer, id, kod, lp, ewidencyjny, nr ewidencyjny, numer ewidencyjny, identyfikator, sygnatura, kartoteka, rejestr',
    chip: 'chip, czip, mikroczip, mikrochip, nr chip, nr chipa, nr czipa, numer chip, numer chipa, numer czipa, tatuaż, transponder',
    came: 'przyjęcie, przyjęcia, przyjęto, data przyjęcia, przybycie, przybycia, wejście',
    date: 'data, dnia, od, dzień',
    small: 'aktualny, aktualne, obecny, do, z, w, na, adopcji, adopcyjny, schroniskowy',
    past: 'poprzedni, pochodzenie, powód przyjęcia, przyczyna przyjęcia, sposób przyjęcia',
    unit: 'boks, kojec, klatka, faktura',
    place: 'miejsce, lokalizacja, zdrowie',
    breed: 'rasa',
    other:
      'właściciel, właściciela, opiekun, adoptujący, kontakt, nazwisko, telefon, adres, miasto, miejscowość, płeć, maść, kolor, umaszczenie, sierść, wielkość, waga, wiek, urodzenia, urodzony, data urodzenia, opis, uwagi, notatki, zdjęcie, przyczyna, powód, kastracja, sterylizacja, sterylizowany, kastrowany, szczepienia, szczepiony, odrobaczony, opłata, charakter, weterynarz',
  },
  statuses: {
    available:
      'do adopcji, dostępny, dostępna, dostępne, szuka domu, szuka, czeka na dom, gotowy do adopcji, gotowa do adopcji, wolny, wolna, oczekuje na adopcję, czeka na adopcję, adopcyjny, adopcyjna',
    pending:
      'zarezerwowany, zarezerwowana, zarezerwowane, rezerwacja, rezerwac*, w trakcie adopcji, w procesie adopcji, adopcja w toku, oczekuje na odbiór, umówiony, wstępnie zarezerwowany, adopcja próbna, okres próbny, wizyta przedadopcyjna, w toku, w trakcie',
    foster: 'dom tymczasowy, w domu tymczasowym, dt, w dt, rodzina zastępcza, tymczas, na tymczasie',
    sold: 'adoptowany, adoptowana, adoptowan*, zaadoptowany, zaadoptowana, zaadoptowan*, adopcja, w nowym domu, znalazł dom, znalazła dom, wydany do adopcji, wydana do adopcji, oddany do adopcji, oddana do adopcji, sprzedany, sprzedana, dom stały, nowy dom',
    gone: 'padł, padła, padło, zmarł, zmarła, nie żyje, zgon, uśpiony, uśpiona, uśpienie, eutanazja, odebrany przez właściciela, odebrana przez właściciela, odebrany, odebrana, zwrócony właścicielowi, zwrócona właścicielowi, zwrot właścicielowi, zwrot do właściciela, oddany właścicielowi, wydany właścicielowi, wrócił do właściciela, wróciła do właściciela, przekazany, przekazana, przekazan*, przeniesiony, przeniesiona, inne schronisko, fundacja, uciekł, uciekła, ucieczka, zaginął, zaginęła, skradziony, wypuszczony, wypuszczona, wypuszczenie, opuścił schronisko, wydany, wydana, odbiór przez właściciela, wydany opiekunowi, upadek, padnięcie',
    moved: 'przeniesienie, przekazanie, zaginiony, zaginiona',
    came: 'znaleziony, znaleziona, błąkający, porzucony, porzucona, zrzeczenie, oddany przez właściciela, oddana przez właściciela, przyjęty, przyjęta, nowo przyjęty, odłowiony, odłowiona, interwencja, policja, urodzony, nieznany, inny',
    withheld: 'kwarantanna, na kwarantannie, w kwarantannie, niedostępny, niedostępna, nie do adopcji',
    none: 'jeszcze niedostępny, obserwacja, na obserwacji, w leczeniu, leczenie, chory, chora, szpital, w szpitalu, szpitalik, u weterynarza, w schronisku, schronisko, nowy, nowa, zabezpieczony, dowód, ocena, rehabilitacja, wkrótce, za młody, za młoda, dożywotnio, rezydent, hotel',
    not: 'nie, jeszcze nie',
  },
  yes: 'tak',
  no: 'nie',
  total: 'razem, suma, łącznie, ogółem, wydrukowano, strona',
  months:
    'stycznia styczeń sty, lutego luty lut, marca marzec, kwietnia kwiecień kwi, maja maj, czerwca czerwiec cze, lipca lipiec lip, sierpnia sierpień sie, września wrzesień wrz, października październik paź, listopada listopad lis, grudnia grudzień gru',
}
