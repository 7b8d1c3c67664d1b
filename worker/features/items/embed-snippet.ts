import { mediaKind } from '../../../client-hook/media-type.ts'
import { mediaTypeEssence } from '../../../contract/media-type.ts'
import type { StorageTarget } from '../../../protocol/chains.ts'

/** What the snippet shows: content by txids or CID, as the hook reads it (docs/behaviour/browser.md). */
export interface EmbedSource {
  baseUrl: URL
  blockchain: StorageTarget
  /** The txids in order, or the one CID. */
  sources: readonly string[]
  mimetype: string
  name: string
  /** Pixels of a picture, where they are known. */
  size?: { width: number; height: number }
}

/** The HTML that shows an item with the hook; text that can be pasted into any page, any number of times. */
export function embedSnippet(source: EmbedSource): string {
  const essence = mediaTypeEssence(source.mimetype)
  const name = escapeAttribute(source.name)
  const attributes = [
    `class="${source.blockchain}"`,
    'type="blob"',
    `data-src="${source.sources.join(',')}"`,
    `data-mimetype="${escapeAttribute(source.mimetype)}"`,
  ].join(' ')
  return [
    elementFor(essence, attributes, name, source.size),
    `<script src="${new URL('/hook.js', source.baseUrl).href}" async></script>`,
    `<script>${startScript(source.blockchain)}</script>`,
  ].join('\n')
}

/** The box of a picture that is not there yet. */
const IMAGE_STYLE = 'img[data-src]:not([src]){display:inline-block}'

function elementFor(essence: string, attributes: string, name: string, size: EmbedSource['size']): string {
  switch (mediaKind(essence)) {
    case 'image':
      // Without a box it would be laid out as its text, and the page would move when the picture comes.
      return `<style>${IMAGE_STYLE}</style>\n<img ${attributes}${boxOf(size)} alt="${name}">`
    case 'video':
      return `<video ${attributes} title="${name}" controls></video>`
    case 'audio':
      return `<audio ${attributes} title="${name}" controls></audio>`
    case 'html':
      // Without a size a frame is 300 by 150 pixels.
      return `<iframe ${attributes} title="${name}" width="100%" height="480" frameborder="0"></iframe>`
    case 'text':
      return `<div ${attributes}></div>`
    default:
      return `<a ${attributes} download="${name}">${name}</a>`
  }
}

function boxOf(size: EmbedSource['size']): string {
  return size ? ` width="${size.width}" height="${size.height}"` : ''
}

// A second snippet of a page may be run after the event: then `hook` exists already.
function startScript(blockchain: StorageTarget): string {
  const event = blockchain === 'IPFS' ? 'nodeReady' : 'dbReady'
  return `window.hook?hook('${blockchain}'):document.addEventListener('${event}',function(){hook('${blockchain}')},{once:true})`
}

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
