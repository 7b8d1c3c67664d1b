import type { StreamsPart } from '../part-tools.ts'
import { providePart } from '../provide-part.ts'
import { streamByWorker } from './stream-by-worker.ts'

export const part: StreamsPart = { show: streamByWorker }
providePart(part)
