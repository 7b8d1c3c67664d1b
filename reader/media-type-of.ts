import { MEDIA_TYPES } from './generated/media-types.ts'

let types: ReadonlyMap<string, string> | undefined

function readTypes(): ReadonlyMap<string, string> {
  const lines = MEDIA_TYPES.trimEnd().split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [type = '', ...endings] = line.split(' ')
      return endings.map((ending) => [ending, type] as const)
    }),
  )
}

/** The media type that the ending of a file's name says, without parameters; `undefined` where it says none. */
export function knownMediaType(path: string): string | undefined {
  types ??= readTypes()
  return types.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase())
}

/** The media type of a file in a directory, by its name. */
export function mediaTypeOf(path: string): string {
  return knownMediaType(path) ?? 'application/octet-stream'
}
