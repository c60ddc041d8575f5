/** The Italian table; language.ts explains its entries. */
import type { Language } from './language.ts'

export const italian: Language = {
  headings: {
    animal: "animale, animali, dell'animale, cane, gatto, ospite",
    name: 'nome, nomi',
    species: 'specie, categoria, tipo di animale, tipo animale, genere',
    type: 'tipo, tipologia',
    status: 'stato, situazione, disponibilità, stato adozione, stato di adozione, condizione, stato attuale, status',
    outcome: 'uscita, esito, motivo uscita, destinazione, tipo uscita',
    number: 'id, n, n°, nr, num, numero, codice, riferimento, rif, matricola, identificativo, progressivo, scheda',
    chip: 'chip, microchip, n° microchip, numero microchip, nr chip, codice microchip, tatuaggio',
    came: "ingresso, entrata, arrivo, accettazione, data di ingresso, d'ingresso, cattura, ritrovamento",
    date: 'data, dal, giorno, il',
    small: "attuale, di, del, della, dell', il, la, lo, ultimo, adozione",
    past: 'precedente, provenienza, origine, modalità ingresso, modalità di ingresso, motivo ingresso, tipo ingresso',
    unit: 'box, gabbia, settore, fattura',
    place: 'luogo, ubicazione, collocazione, salute',
    breed: 'razza',
    other:
      'proprietario, adottante, affidatario, contatto, cognome, telefono, indirizzo, città, comune, sesso, colore, mantello, pelo, taglia, peso, età, nascita, nato, nata, descrizione, note, osservazioni, foto, motivo, sterilizzato, sterilizzata, castrato, vaccinato, vaccini, contributo, prezzo, carattere, veterinario',
  },
  statuses: {
    available:
      'disponibile, adottabile, in adozione, da adottare, cerca casa, cerca famiglia, libero, libera, disponibile per adozione, pronto per adozione, adottabili',
    pending:
      'prenotato, prenotata, prenotaz*, riservato, riservata, in attesa di adozione, adozione in corso, in corso, pratica in corso, preaffido, pre-affido, in preaffido, in pre-affido, in prova, in affido preadottivo, richiesto, richiesta, opzionato, in trattativa',
    foster:
      'in stallo, stallo, affido temporaneo, in affido temporaneo, affido, in affido, famiglia affidataria, casa famiglia',
    sold: 'adottato, adottata, adottat*, adozione, ceduto, ceduta, venduto, venduta, ha trovato casa, affidato definitivamente, adozione definitiva, affidato, affidata',
    gone: 'deceduto, deceduta, deced*, morto, morta, morte, soppresso, soppressa, soppressione, eutanasia*, restituito, restituita, restituito al proprietario, restituit*, reso al proprietario, riconsegnato, riconsegnata, riconsegnato al proprietario, ritirato dal proprietario, trasferito, trasferita, fuggito, fuggita, fuga, scappato, scappata, scomparso, scomparsa, rubato, rubata, liberato, liberata, reimmesso, rimesso in libertà, reimmesso in libertà, reimmissione, colonia, uscito, altra associazione, decesso, restituzione, restituzione al proprietario, trasferito ad altra struttura, trasferito in altro canile, reimmessa',
    moved: 'trasferimento, smarrito, smarrita',
    came: 'trovato, trovata, rinuncia, rinunciato, cattura, catturato, recupero, recupero cane vagante, vagante, sequestro, sequestrato, ingresso, nato in rifugio, nato in canile, cessione, rinvenimento, randagio, randagia, sconosciuto, altro',
    withheld: 'quarantena, in quarantena, non disponibile, non adottabile',
    none: 'non ancora disponibile, in osservazione, osservazione, in cura, in terapia, terapia, malato, malata, in clinica, ricoverato, ricoverata, dal veterinario, convalescenza, nuovo arrivo, nuovo, in canile, in gattile, in rifugio, rifugio, canile, valutazione, in valutazione, pensione, prossimamente, troppo giovane, santuario, in cura / degenza, degenza, in degenza',
    not: 'non, no, non ancora',
  },
  yes: 'sì, si, vero',
  no: 'no, falso',
  total: 'totale, totali, somma, stampato, pagina',
  months:
    'gennaio gen, febbraio, marzo, aprile, maggio mag, giugno giu, luglio lug, agosto, settembre set, ottobre ott, novembre, dicembre dic',
}
