import type { WebhookTexts } from '../en/webhooks.ts'
import type { TextTools } from '../tools.ts'

/** The texts of the webhooks in German. */
export const webhooks = ({ lasting }: TextTools): WebhookTexts => ({
  lead: 'Ihr eigener Server erfährt von Ereignissen, durch Nachrichten, die mit seinem Geheimnis signiert sind.',
  add: 'Webhook hinzufügen',
  url: 'Adresse',
  urlHelp: 'Zum Beispiel https://shop.example.com/hookline',
  urlBad: 'Geben Sie eine Adresse ein, die mit https:// beginnt, zum Beispiel https://shop.example.com/hookline.',
  toldOf: 'Ereignisse, die gesendet werden',
  kinds: {
    items: 'Objekte, die gespeichert oder angehalten sind',
    payments: 'Zahlungen und Einzahlungen',
    withdrawals: 'Auszahlungen',
    service: 'Störungen des Dienstes selbst',
  },
  told: (kinds) => `Sendet: ${kinds}`,
  secretOnce:
    'Kopieren Sie das Geheimnis jetzt: Ihr Server prüft damit die Signaturen. Es wird nicht noch einmal gezeigt.',
  secret: 'Geheimnis',
  emptyTitle: 'Noch kein Webhook',
  empty: 'Fügen Sie eine Adresse Ihres Servers hinzu, und er erfährt, wenn etwas bezahlt oder gespeichert ist.',
  since: (when) => `In Ordnung, seit ${when}`,
  failing: (when) => `Nimmt seit ${when} keine Nachrichten an`,
  off: (when) => `Abgeschaltet ${when}: ${lasting('webhookOff')} lang wurde nichts angenommen`,
  paused: (when) => `Pausiert ${when}, als das Passwort zurückgesetzt wurde`,
  problem: (what) => `Zuletzt: ${what}`,
  test: 'Testnachricht senden',
  taken: 'Die Nachricht wurde angenommen.',
  notTaken: (why) => `Die Nachricht wurde nicht angenommen. ${why}`,
  resume: 'Weitermachen lassen',
  end: 'Beenden',
  endTitle: 'Diesen Webhook beenden?',
  endText:
    'Es werden keine Ereignisse mehr an ihn gesendet. Er kann mit einem anderen Geheimnis wieder hinzugefügt werden.',
})
