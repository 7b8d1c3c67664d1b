import type { Config } from '../../../platform/config/config.ts'

/** The version of tus that is spoken here (https://tus.io/protocols/resumable-upload). */
export const TUS_VERSION = '1.0.0'

/** The extensions of tus that are offered. */
export const TUS_EXTENSIONS = ['creation', 'creation-with-upload', 'termination', 'expiration'] as const

/** The largest upload of an account, in bytes. */
function mostUploadBytes({ maxItemBytes, quotas }: Pick<Config, 'maxItemBytes' | 'quotas'>): number {
  return Math.min(maxItemBytes, quotas.unpaidBytes)
}

/** What the answer to OPTIONS at an upload says beside its methods (tus, Core Protocol, OPTIONS). */
export function tusDiscovery(config: Pick<Config, 'maxItemBytes' | 'quotas'> | undefined): Record<string, string> {
  return {
    'Tus-Resumable': TUS_VERSION,
    'Tus-Version': TUS_VERSION,
    'Tus-Extension': TUS_EXTENSIONS.join(','),
    ...(config && { 'Tus-Max-Size': String(mostUploadBytes(config)) }),
  }
}
