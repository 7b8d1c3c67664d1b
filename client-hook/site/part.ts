import { providePart } from '../provide-part.ts'

// The build inserts the compiled site/show-site.ts here.
declare const SITE_SCRIPT: string

export const part: string = SITE_SCRIPT
providePart(part)
