/** `Host` in lower case, without port and without the root's trailing dot. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Whether a `Host` value names this machine. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(hostName(host))
}
