/**
 * Names that have no host in public DNS: of this machine, a private network or a cluster (RFC 6761, 6762, 7686, 8375;
 * `internal` by ICANN's reservation, `corp` by its refusal to delegate it).
 */
const SPECIAL = /(?:^|\.)(?:localhost|local|internal|intranet|invalid|onion|arpa|svc|lan|corp|home)$/

/** Whether a host in lower case is such a name, or a single label, which only a private network resolves. */
export function isSpecialName(host: string): boolean {
  return !host.includes('.') || SPECIAL.test(host)
}
