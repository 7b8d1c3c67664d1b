import type { StorageTarget } from '../../protocol/chains.ts'
import { mediaTypeEssence } from './media-type.ts'

/** What the snippet shows: content by txids or CID, as the hook takes it (contract, section 7). */
export interface EmbedSource {
  baseUrl: URL
  blockchain: StorageTarget
  /** The txids in order, or the one CID. */
  sources: readonly string[]
  mimetype: string
  name: string
}

/** The HTML that shows an item with the hook; text that can be pasted into any page, as often as wanted. */
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
    elementFor(essence, attributes, name),
    `<script src="${new URL('/hook.js', source.baseUrl).href}" async></script>`,
    `<script>${startScript(source.blockchain)}</script>`,
  ].join('\n')
}

function elementFor(essence: string, attributes: string, name: string): string {
  const [type] = essence.split('/')
  if (type === 'image') return `<img ${attributes} alt="${name}">`
  if (type === 'video') return `<video ${attributes} title="${name}" controls></video>`
  if (type === 'audio') return `<audio ${attributes} title="${name}" controls></audio>`
  if (essence === 'text/html' || essence === 'application/xhtml+xml') {
    return `<iframe ${attributes} title="${name}"></iframe>`
  }
  return `<div ${attributes}></div>`
}

// A second snippet of a page may come after the event has fired: then `hook` is there already.
function startScript(blockchain: StorageTarget): string {
  const event = blockchain === 'IPFS' ? 'nodeReady' : 'dbReady'
  return `window.hook?hook('${blockchain}'):document.addEventListener('${event}',function(){hook('${blockchain}')},{once:true})`
}

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
