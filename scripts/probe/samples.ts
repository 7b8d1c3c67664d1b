import { CID } from 'multiformats/cid'
import { code as RAW } from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'

/**
 * Content that each service answers with, though it has stored nothing of it: an identity CID has the bytes in itself, at most 128
 * here.
 */
interface Sample {
  path: string
  mediaType: string
  bytes: Buffer
}

function sample(name: string, mediaType: string, bytes: Buffer): Sample {
  return { path: `/ipfs/${cidOf(bytes)}?filename=${name}`, mediaType, bytes }
}

function cidOf(bytes: Buffer): string {
  return CID.createV1(RAW, identity.digest(bytes)).toString()
}

// An address of mail, an address by http, a script, a head and a body: what Cloudflare changes in pages, where it is told to.
const PAGE = Buffer.from(
  '<!doctype html><head></head><body><a href=mailto:a@b.co>a@b.co</a><img src=http://b.co/i><script src=/s.js></script></body>',
)
const SCRIPT = Buffer.from('// a@b.co\nconst sum = (a, b) => a + b ; console.log( sum(1, 2) )\n')
// One pixel, with a text that image optimization removes.
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAAEHRFWHRDb21tZW50AEhvb2tsaW5lJyRWOwAAAApJREFUeNpjaAAAAIIAgdpFCDsAAAAASUVORK5CYII=',
  'base64',
)

const SAMPLES = {
  page: sample('probe.html', 'text/html', PAGE),
  script: sample('probe.js', 'text/javascript', SCRIPT),
  picture: sample('probe.png', 'image/png', PICTURE),
}

export type SampleName = keyof typeof SAMPLES

export function sampleOf(name: SampleName): Sample {
  return SAMPLES[name]
}

/** A page whose CID fits into a label of a host: at most 63 characters. */
export const SHORT_PAGE = Buffer.from('<!doctype html><p>a@b.co</p>')
export const SHORT_CID = cidOf(SHORT_PAGE)
