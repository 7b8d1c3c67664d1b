import type { WebhookTexts } from '../en/webhooks.ts'
import type { TextTools } from '../tools.ts'

/** The texts of the webhooks in Spanish. */
export const webhooks = ({ lasting }: TextTools): WebhookTexts => ({
  lead: 'Su propio servidor recibe avisos de eventos, en mensajes firmados con su secreto.',
  add: 'Añadir un webhook',
  url: 'Dirección',
  urlHelp: 'Por ejemplo https://shop.example.com/hookline',
  urlBad: 'Escriba una dirección que empiece por https://, por ejemplo https://shop.example.com/hookline.',
  toldOf: 'Eventos que se envían',
  kinds: {
    items: 'Objetos que se guardan, o se detienen',
    payments: 'Pagos y depósitos',
    withdrawals: 'Retiros',
    service: 'Problemas del propio servicio',
  },
  told: (kinds) => `Envía: ${kinds}`,
  secretOnce: 'Copie el secreto ahora: su servidor comprueba con él las firmas. No se vuelve a mostrar.',
  secret: 'Secreto',
  emptyTitle: 'Todavía sin webhooks',
  empty: 'Añada una dirección de su servidor, y se entera cuando algo se paga o se guarda.',
  since: (when) => `Funciona, desde ${when}`,
  failing: (when) => `No acepta mensajes desde ${when}`,
  off: (when) => `Desactivado ${when}: no aceptó nada durante ${lasting('webhookOff')}`,
  paused: (when) => `En pausa desde ${when}, cuando se restableció la contraseña`,
  problem: (what) => `Último: ${what}`,
  test: 'Enviar un mensaje de prueba',
  taken: 'El mensaje se ha aceptado.',
  notTaken: (why) => `El mensaje no se ha aceptado. ${why}`,
  resume: 'Dejar que continúe',
  end: 'Terminarlo',
  endTitle: '¿Terminar este webhook?',
  endText: 'Ya no se le envían eventos. Se puede añadir otra vez, con otro secreto.',
})
