import { LIFETIMES } from '../../../../contract/lifetimes.ts'
import type { OrderWordings, Wordings } from './wording.ts'

const HOURS = `${LIFETIMES.mailLink / 3600} Stunden`
const ALARM =
  'Wenn Sie es nicht waren, fordern Sie sofort ein neues Passwort per E-Mail an: Das beendet jede Sitzung, jeden Passkey und jeden API-Schlüssel.'

/** What happened to a key or a passkey. */
const DONE: Readonly<Record<string, string>> = { added: 'hinzugefügt', removed: 'entfernt' }

/** The mails in German. */
export const wordings: Wordings = {
  verify: (service) => ({
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    before: [
      `Jemand, hoffentlich Sie, hat sich bei ${service} mit dieser Adresse angemeldet.`,
      `Um sie zu bestätigen, öffnen Sie innerhalb von ${HOURS} diesen Link und geben Sie das Passwort ein, das Sie gewählt haben:`,
    ],
    after: ['Wenn Sie es nicht waren, ignorieren Sie diese Mail: Ohne das Passwort geschieht nichts.'],
  }),
  reset: (service) => ({
    subject: 'Wählen Sie ein neues Passwort',
    before: [
      `Jemand, hoffentlich Sie, hat bei ${service} ein neues Passwort angefordert.`,
      `Um eines zu wählen, öffnen Sie innerhalb von ${HOURS} diesen Link. Er beendet alle Ihre Sitzungen:`,
    ],
    after: ['Wenn Sie es nicht waren, ignorieren Sie diese Mail: Ihr Passwort bleibt, wie es ist.'],
  }),
  email: (service) => ({
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    before: [
      `Jemand, hoffentlich Sie, möchte diese Adresse für ein Konto bei ${service}.`,
      `Um sie zu ändern, öffnen Sie innerhalb von ${HOURS} diesen Link und geben Sie das Passwort des Kontos ein:`,
    ],
    after: ['Wenn Sie es nicht waren, ignorieren Sie diese Mail: Ohne das Passwort geschieht nichts.'],
  }),
  taken: (service) => ({
    subject: 'Diese Adresse hat ein Konto',
    before: [
      `Jemand, hoffentlich Sie, wollte diese Adresse für ein anderes Konto bei ${service}. Sie hat dort schon ein Konto, ein offenes oder ein geschlossenes.`,
      'Es wurde nichts geändert. Eine Adresse kann ein Konto haben.',
    ],
  }),
  moving: (service, about) => ({
    subject: 'Eine neue E-Mail-Adresse wurde angefordert',
    before: [
      `Jemand, hoffentlich Sie, hat für Ihr Konto bei ${service} die Adresse ${about} anstelle dieser angefordert. Sie wird geändert, sobald ein Link, der dorthin gesendet wurde, geöffnet und das Passwort eingegeben ist.`,
      'Wenn Sie es nicht waren, hat jemand Ihr Passwort: Fordern Sie sofort ein neues per E-Mail an. Das beendet jede Sitzung und macht den Link ungültig.',
    ],
  }),
  moved: (service, about) => ({
    subject: 'Ihre E-Mail-Adresse wurde geändert',
    before: [
      `Ihr Konto bei ${service} hat von jetzt an die Adresse ${about} anstelle dieser.`,
      `Wenn Sie es nicht waren, schreiben Sie sofort dem Betreiber von ${service}.`,
    ],
  }),
  known: (service) => ({
    subject: 'Sie haben schon ein Konto',
    before: [
      `Jemand, hoffentlich Sie, hat sich bei ${service} mit dieser Adresse angemeldet, die dort schon ein Konto hat.`,
      'Melden Sie sich mit Ihrem Passwort an, oder fordern Sie ein neues an, wenn Sie es vergessen haben. Es wurde nichts geändert.',
    ],
  }),
  closed: (service) => ({
    subject: 'Ihr Konto ist geschlossen',
    before: [
      `Jemand, hoffentlich Sie, hat sich bei ${service} mit dieser Adresse angemeldet. Ihr Konto dort wurde geschlossen.`,
      'Ein geschlossenes Konto bleibt geschlossen; um den Dienst wieder zu nutzen, melden Sie sich mit einer anderen Adresse an.',
    ],
  }),
  webhook: (service, about) => ({
    subject: 'Ihrem Konto wurde ein Webhook hinzugefügt',
    before: [
      `Von jetzt an erfährt ${about} von den Zahlungen und Objekten Ihres Kontos bei ${service}.`,
      'Wenn Sie es nicht waren, fordern Sie sofort ein neues Passwort per E-Mail an: Das pausiert jeden Webhook und beendet jede Sitzung und jeden API-Schlüssel.',
    ],
  }),
  order: (service, about) => {
    const [subject = '', ...lines] = about.split('\n')
    const wanted = `Sie erhalten diese Mail, weil Ihr Konto bei ${service} das wünscht. Sie können das im Konto ändern.`
    return { subject, before: [...lines, wanted] }
  },
  password: (service) => ({
    subject: 'Ihr Passwort wurde geändert',
    before: [
      `Das Passwort Ihres Kontos bei ${service} wurde gerade geändert. Alle anderen Sitzungen wurden beendet.`,
      ALARM,
    ],
  }),
  key: (service, about) => ({
    subject: `Ein API-Schlüssel wurde ${DONE[about] ?? about}`,
    before: [`Ein API-Schlüssel Ihres Kontos bei ${service} wurde gerade ${DONE[about] ?? about}.`, ALARM],
  }),
  passkey: (service, about) => ({
    subject: `Ein Passkey wurde ${DONE[about] ?? about}`,
    before: [`Ein Passkey Ihres Kontos bei ${service} wurde gerade ${DONE[about] ?? about}.`, ALARM],
  }),
  reused: (service) => ({
    subject: 'Eine Ihrer Sitzungen wurde beendet',
    before: [
      `Ein Refresh-Token einer Sitzung Ihres Kontos bei ${service} wurde benutzt, nachdem ein anderes es ersetzt hatte. Das kann heißen, dass jemand eine Kopie davon hat; darum wurde die Sitzung beendet. Melden Sie sich wieder an.`,
      'Wenn Sie nicht wissen, warum das geschah, melden Sie sich an, ändern Sie Ihr Passwort, und sehen Sie die Liste Ihrer Sitzungen durch.',
    ],
  }),
}

export const orders: OrderWordings = {
  andMore: (name, more) => `${name} und ${more} weitere`,
  withdrawn: (amount, address, txid) => ({
    title: 'Ihre Auszahlung wurde gesendet',
    text: `${amount} gingen an ${address}.\nTransaktion: ${txid}`,
  }),
  paid: (what, amount) => ({
    title: 'Ihr Auftrag ist bezahlt',
    text: `${what}: ${amount} sind bezahlt. Es wird jetzt geschrieben.`,
  }),
  stored: (what) => ({ title: 'Ihr Auftrag ist gespeichert', text: `${what}: Alles ist gespeichert.` }),
  stopped: (name, why) => ({
    title: 'Ihr Auftrag ist angehalten',
    text: `${name} wird nicht weitergeschrieben. ${why}`.trim(),
  }),
  digest: 'Ihre Aufträge des letzten Tages',
  digestMore: (more) => `Und ${more} weitere.`,
}
