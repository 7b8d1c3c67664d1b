import { writeFileSync } from 'node:fs'
import { MEDIA_TYPES_FILE, mediaTypesModule } from './media-types.ts'

writeFileSync(MEDIA_TYPES_FILE, mediaTypesModule())
