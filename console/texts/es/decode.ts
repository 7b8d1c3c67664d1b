import type { DecodeTexts } from '../en/decode.ts'
import type { TextTools } from '../tools.ts'

/** The texts of the field for transactions in Spanish. */
export const decode = ({ counted }: TextTools): DecodeTexts => ({
  title: 'Qué contiene una transacción',
  lead: 'Inscripciones, doginals, stamps y datos, sea quien sea su autor. Aquí solo se comprueba el identificador de la transacción.',
  chain: 'Su cadena',
  txid: 'Identificador de la transacción',
  wrong: 'El identificador de una transacción tiene 64 dígitos, de 0 a 9 y de a a f.',
  look: 'Ver qué contiene',
  absent: (chain) => `${chain} no tiene ninguna transacción con este identificador.`,
  nothing: 'No contiene contenido ni datos.',
  found: (count) => counted(count, 'entrada', 'entradas'),
  kinds: {
    inscription: 'Inscripción',
    doginal: 'Doginal',
    stamp: 'Stamp',
    op_return: 'Datos en OP_RETURN',
    runestone: 'Runestone',
  },
  open: 'Abrir su contenido',
  unknownType: 'de tipo desconocido',
  missing: (count) => `${counted(count, 'parte', 'partes')} en transacciones posteriores`,
  delegate: (name) => `Muestra el contenido de ${name}`,
})
