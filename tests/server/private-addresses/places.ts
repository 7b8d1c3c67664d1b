/** Addresses of the network that the service is in, by what each is: one that is public must be reached. */
export const PLACES = {
  loopback: '127.0.0.1',
  private: '10.83.0.1',
  public: '198.51.100.7',
} as const

export type Place = keyof typeof PLACES

/** A name that resolves there. */
export const nameOf = (place: Place): string => `${place}.hooks.example.com`

/** What came to a place. */
export interface Reached {
  /** What the service says of a test of a webhook with that name. */
  webhook: { taken: boolean; problem: string | null }
  /** What a check of a domain with that name found of the host's answer. */
  domain: { state: string; found: string | null }
  /** Connections that arrived for them, at different ports. */
  connections: { webhook: number; domain: number }
}
