/** The Spanish table; language.ts explains its entries. */
import type { Language } from './language.ts'

export const spanish: Language = {
  headings: {
    animal: 'animal, animales, mascota, mascotas, perro, gato, peludo',
    name: 'nombre, nombres',
    species: 'especie, especies, clase, categoría, tipo de animal, tipo animal, tipo de mascota',
    type: 'tipo',
    status:
      'estado, estatus, situación, disponibilidad, estado de adopción, estado adopción, estado actual, condición de adopción, status',
    outcome: 'salida, tipo de salida, motivo de salida, destino, resultado, baja',
    number:
      'id, nº, n°, no, num, número, código, referencia, ref, identificador, identificación, expediente, ficha, nro, clave, folio',
    chip: 'chip, microchip, nº chip, nº de chip, número de chip, número de microchip, crotal, tatuaje',
    came: 'ingreso, entrada, llegada, alta, fecha de ingreso, rescate, acogida',
    date: 'fecha, día, desde, el',
    small: 'actual, de, del, el, la, los, las, último, adopción, adopcion',
    past: 'anterior, procedencia, origen, motivo de ingreso, motivo ingreso, tipo de ingreso',
    unit: 'jaula, chenil, factura, canil, box',
    place: 'ubicación, lugar, salud',
    breed: 'raza, razas',
    other:
      'dueño, propietario, adoptante, adoptantes, acogida, casa de acogida, contacto, responsable, apellido, apellidos, teléfono, dirección, ciudad, sexo, género, color, pelo, pelaje, tamaño, talla, peso, edad, nacimiento, nacido, descripción, observaciones, notas, comentarios, foto, imagen, motivo, esterilizado, esterilizada, castrado, vacunado, vacunas, desparasitado, tasa, precio, carácter, veterinario, provincia, municipio',
  },
  statuses: {
    available:
      'disponible, en adopción, adoptable, para adoptar, para adopción, busca hogar, buscando hogar, libre, disponible para adopción, listo para adopción, lista para adopción, se busca familia, busca familia, en busca de hogar, publicado, urgente',
    pending:
      'en proceso, reservado, reservada, reserva, en trámite, pendiente*, preadopción, pre-adopción, preadoptado, preadoptada, pre-adoptado, proceso de adopción, en proceso de adopción, adopción en proceso, adopción pendiente, solicitado, solicitada, apartado, a prueba, en evaluación de adopción, señalado',
    foster:
      'en acogida, acogida, acogido, acogida temporal, casa de acogida, en casa de acogida, hogar temporal, en hogar temporal, hogar de tránsito, en tránsito, tránsito, casa cuna, tránsito temporal',
    sold: 'adoptado, adoptada, adoptad*, adopción, vendido, vendida, entregado en adopción, dado en adopción, colocado, con familia, ya tiene hogar',
    gone: 'fallecido, fallecida, fallec*, muerto, muerta, muerte, murió, eutanasia*, eutanasiado, eutanasiada, sacrificado, sacrificada, devuelto a su dueño, devuelto al dueño, devuelto a su propietario, devuelta a su dueño, devuelto*, devuelta*, devolución, entregado a su dueño, entregado al propietario, recuperado por su dueño, reclamado, recogido por su dueño, propietario encontrado, dueño encontrado, trasladado, trasladada, transferido, transferida, desaparecido, desaparecida, escapado, escapada, robado, robada, liberado, liberada, suelta, ces, cer, baja, salida, otra protectora, otra asociación, cedido, cedida, eliminado, entregado a su propietario, devuelto al propietario, devolución al propietario, recuperado por el propietario, fallecimiento, muerte natural, exitus',
    moved: 'traslado, transferencia, perdido, perdida',
    came: 'encontrado, encontrada, rescatado, rescatada, abandono, abandonado, abandonada, decomisado, ingreso, nuevo ingreso, nacido, entrega voluntaria, cesión, callejero, callejera, policía, desconocido, otro',
    withheld: 'cuarentena*, en cuarentena, no disponible, no adoptable',
    none: 'no apto, no está en adopción, todavía no, aún no disponible, en observación, observación, en tratamiento, tratamiento, enfermo, enferma, en clínica, hospitalizado, hospitalizada, veterinario, en el veterinario, en recuperación, recuperación, rehabilitación, en rehabilitación, nuevo, ingresado, en refugio, en el refugio, refugio, en albergue, evaluación, en evaluación, valoración, residencia, santuario, residente, próximamente, muy pronto, muy joven, oculto, retenido, apadrinado, apadrinable, inactivo',
    not: 'no, ni, sin, aún no, todavía no',
  },
  yes: 'sí, si, verdadero',
  no: 'no, falso',
  total: 'total, totales, suma, impreso, página',
  months:
    'enero ene, febrero, marzo, abril abr, mayo, junio, julio, agosto ago, septiembre setiembre, octubre, noviembre, diciembre dic',
}
