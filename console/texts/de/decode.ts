import type { DecodeTexts } from '../en/decode.ts'
import type { TextTools } from '../tools.ts'

/** The texts of the field for transactions in German. */
export const decode = ({ counted }: TextTools): DecodeTexts => ({
  title: 'Was eine Transaktion enthält',
  lead: 'Inscriptions, Doginals, Stamps und Daten, von wem auch immer. Geprüft wird hier nur die ID der Transaktion.',
  chain: 'Ihre Blockchain',
  txid: 'ID der Transaktion',
  wrong: 'Die ID einer Transaktion hat 64 Ziffern, 0 bis 9 und a bis f.',
  look: 'Inhalt ansehen',
  absent: (chain) => `${chain} hat keine Transaktion mit dieser ID.`,
  nothing: 'Sie enthält weder Inhalte noch Daten.',
  found: (count) => counted(count, 'Eintrag', 'Einträge'),
  kinds: {
    inscription: 'Inscription',
    doginal: 'Doginal',
    stamp: 'Stamp',
    op_return: 'Daten in OP_RETURN',
    runestone: 'Runestone',
  },
  open: 'Inhalt öffnen',
  unknownType: 'von unbekanntem Typ',
  missing: (count) => `${counted(count, 'Teil', 'Teile')} in späteren Transaktionen`,
  delegate: (name) => `Zeigt den Inhalt von ${name}`,
})
