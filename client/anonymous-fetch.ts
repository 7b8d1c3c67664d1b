import type { FetchOptions } from '../reader/fetch-bytes.ts'

/** `fetch` that tells nobody who asks: without credentials and referrer, where the runtime has these (browsers). */
export const anonymousFetch: FetchOptions['fetch'] = (url, init) => fetch(url, { ...init, ...anonymous() })

function anonymous(): RequestInit {
  // workerd refuses the option.
  return 'credentials' in Request.prototype ? { credentials: 'omit', referrerPolicy: 'no-referrer' } : {}
}
