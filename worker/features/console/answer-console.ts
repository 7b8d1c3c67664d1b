import { assetPolicy, consolePolicy } from '../../../console/content-policy.ts'
import type { Config } from '../../platform/config/config.ts'
import { answerFile } from '../../platform/http/answer-file.ts'
import { notFound } from '../../platform/http/errors.ts'
import { IMMUTABLE } from '../../platform/http/policies.ts'
import { readStoredAsset } from './console-builds.ts'
import { consoleFiles } from './console-files.ts'
import { consoleOrigins } from './console-origins.ts'

const PAGE = '/console'

/** Nothing of the console is for other sites: not to embed, not to open and hold. */
const OWN = {
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
}

/**
 * A file of the console, or its page for every other path below `/console` whose last segment has no dot: the page
 * finds the view by the address. Files of earlier builds are answered for the tabs that were opened before a deployment.
 * @throws {AppError} 404 for a file that there is not.
 */
export async function answerConsole(
  request: Request,
  path: string,
  config: Pick<Config, 'baseUrl' | 'storageHost' | 'console'>,
  bucket: R2Bucket,
): Promise<Response> {
  const file = path === PAGE ? undefined : (consoleFiles.get(path) ?? (await readStoredAsset(bucket, path)))
  if (file) {
    return await answerFile(request, file, {
      ...OWN,
      'Content-Security-Policy': assetPolicy(consoleOrigins(request.url, config)),
      'Cache-Control': IMMUTABLE,
    })
  }
  const page = consoleFiles.get(PAGE)
  if (!page || path.slice(path.lastIndexOf('/')).includes('.')) {
    throw notFound('This version of the console has no such file. Load the page again.')
  }
  return await answerFile(request, page, {
    ...OWN,
    'Content-Security-Policy': consolePolicy({ ...consoleOrigins(request.url, config), faucet: config.console.faucet }),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-cache',
  })
}
