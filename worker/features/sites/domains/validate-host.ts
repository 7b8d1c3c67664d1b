import { domainToUnicode } from 'node:url'
import { getDomain, getPublicSuffix } from 'tldts'
import unhomoglyph from 'unhomoglyph'

/** Includes the private section of the Public Suffix List: different users own the subdomains of `github.io`. */
const SUFFIX_OPTIONS = { allowPrivateDomains: true } as const

/** Whether a host is a public suffix, under which anyone can register a name (https://publicsuffix.org). */
export function isPublicSuffix(host: string): boolean {
  return getPublicSuffix(host, SUFFIX_OPTIONS) === host
}

/**
 * Compares a host with our hosts. `own`: it is our host or domain, or a subdomain of one. `look-alike`: it has the same
 * skeleton (Unicode Technical Standard 39, confusables), or contains our name as labels of another domain, or with
 * hyphens instead of dots. `undefined` otherwise.
 */
export function compareToOwnHosts(host: string, ours: readonly string[]): 'own' | 'look-alike' | undefined {
  const names = [...new Set(ours.flatMap((own) => [own, getDomain(own, SUFFIX_OPTIONS) ?? own]))].filter((own) =>
    own.includes('.'),
  )
  if (names.some((own) => host === own || host.endsWith(`.${own}`))) return 'own'
  const hostSkeleton = skeleton(host)
  const alike = names.map(skeleton).some((own) => {
    const hyphened = own.replaceAll('.', '-')
    return `.${hostSkeleton}.`.includes(`.${own}.`) || hostSkeleton.split('.').some((label) => label.includes(hyphened))
  })
  return alike ? 'look-alike' : undefined
}

/** The skeleton of a host: hosts that look the same have the same skeleton. */
export function skeleton(host: string): string {
  return unhomoglyph(
    domainToUnicode(host)
      .normalize('NFKD')
      .replace(/\p{Mn}/gu, ''),
  ).toLowerCase()
}
