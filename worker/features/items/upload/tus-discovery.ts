import { TUS_EXTENSIONS, TUS_VERSION } from '../../../../contract/tus.ts'
import type { Config } from '../../../platform/config/config.ts'

/** What the answer to OPTIONS at an upload says beside its methods (tus, Core Protocol, OPTIONS). */
export function tusDiscovery(config: Pick<Config, 'maxItemBytes' | 'quotas'> | undefined): Record<string, string> {
  return {
    'Tus-Resumable': TUS_VERSION,
    'Tus-Version': TUS_VERSION,
    'Tus-Extension': TUS_EXTENSIONS.join(','),
    ...(config && { 'Tus-Max-Size': String(Math.min(config.maxItemBytes, config.quotas.unpaidBytes)) }),
  }
}
