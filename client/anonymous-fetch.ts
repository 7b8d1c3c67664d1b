import type { FetchOptions } from '../reader/fetch-bytes.ts'

/** `fetch` without credentials and referrer where the runtime has them (browsers), so that no host learns who reads. */
export const anonymousFetch: FetchOptions['fetch'] = (url, init) => fetch(url, { ...init, ...anonymous() })

function anonymous(): RequestInit {
  // workerd refuses the option.
  return 'credentials' in Request.prototype ? { credentials: 'omit', referrerPolicy: 'no-referrer' } : {}
}
