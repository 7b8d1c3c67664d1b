import type { FrameAnswer, FrameMessage } from '../lazy/show-in-frame.ts'
import { essenceOf, mediaKind } from '../media-type.ts'

/** The script of /frame: shows what its parent posts, once. The CSP of /frame keeps its origin opaque. */

addEventListener('message', function receive({ source, data, ports: [port] }: MessageEvent<FrameMessage>) {
  if (source !== parent || parent === window || !port) return
  removeEventListener('message', receive)
  const answer = (message: FrameAnswer) => port.postMessage(message)
  try {
    show(data, answer)
  } catch (error) {
    answer({ error: String(error) })
  }
})

function show(message: FrameMessage, answer: (message: FrameAnswer) => void): void {
  const essence = essenceOf(message.mediaType) ?? ''
  const kind = mediaKind(essence)
  if (kind === 'html') {
    const html = decodeText(message)
    if (message.siteScript === undefined) {
      document.open()
      document.write(html)
      document.close()
    } else new Function(message.siteScript)()(html, message, answer)
    answer({ shown: true })
  } else if (kind === 'text') {
    const text = document.createElement('pre')
    text.textContent = decodeText(message)
    document.body.append(text)
    answer({ shown: true })
  } else if (kind === 'other') answer({ error: `A frame can't show ${essence}.` })
  else showMedia(kind, new Blob([message.bytes.slice()], { type: essence }), answer)
}

function showMedia(kind: 'image' | 'video' | 'audio', content: Blob, answer: (message: FrameAnswer) => void): void {
  const element = document.createElement(kind === 'image' ? 'img' : kind)
  element.addEventListener(kind === 'image' ? 'load' : 'loadedmetadata', () => answer({ shown: true }))
  element.addEventListener('error', () => answer({ error: `This browser cannot show the content as ${kind}.` }))
  if (element instanceof HTMLMediaElement) element.controls = true
  element.style.maxWidth = '100%'
  element.src = URL.createObjectURL(content)
  document.body.append(element)
}

/** Text decoded as a browser would decode the page (HTML, "determining the encoding"). */
function decodeText({ mediaType, bytes }: FrameMessage): string {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  const label =
    /;\s*charset="?([^\s;"]+)/i.exec(mediaType)?.[1] ?? /<meta[^>]+charset\s*=\s*["']?([^\s"'/>]+)/i.exec(start)?.[1]
  try {
    return new TextDecoder(label ?? 'utf-8').decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
