import type { TextTools } from '../tools.ts'

/** The texts of the webhooks in English: loaded with their view. */
export const webhooks = ({ lasting }: TextTools) => ({
  lead: 'Your own server is notified of events, by messages that are signed with its secret.',
  add: 'Add a webhook',
  url: 'Address',
  urlHelp: 'For example https://shop.example.com/hookline',
  urlBad: 'Type an address that begins with https://, such as https://shop.example.com/hookline.',
  toldOf: 'Events to send',
  kinds: {
    items: 'Items that are stored, or stopped',
    payments: 'Payments and deposits',
    withdrawals: 'Withdrawals',
    service: 'Trouble of the service itself',
  },
  told: (kinds: string) => `Sends: ${kinds}`,
  secretOnce: 'Copy the secret now: your server checks the signatures with it. It is not shown again.',
  secret: 'Secret',
  emptyTitle: 'No webhook yet',
  empty: 'Add an address of your own server, and it hears when something is paid or stored.',
  since: (when: string) => `Works, since ${when}`,
  failing: (when: string) => `Takes no messages since ${when}`,
  off: (when: string) => `Turned off ${when}: it took nothing for ${lasting('webhookOff')}`,
  paused: (when: string) => `Paused ${when}, when the password was reset`,
  problem: (what: string) => `Last: ${what}`,
  test: 'Send a test message',
  taken: 'The message was accepted.',
  notTaken: (why: string) => `The message was not accepted. ${why}`,
  resume: 'Let it go on',
  end: 'End it',
  endTitle: 'End this webhook?',
  endText: 'No more events are sent to it. It can be added again, with another secret.',
})

export type WebhookTexts = ReturnType<typeof webhooks>
