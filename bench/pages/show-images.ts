// What each page of the hook rows runs: `window.showImages` puts images into the page in one of three ways and
// resolves to the milliseconds until the last of them is shown.

type Way = 'plain' | 'hook' | 'verified-fetch'

export {}

declare global {
  interface Window {
    hook(blockchain: string): Promise<{ status: string; error?: unknown }[]>
    /** Set by verified-fetch-page.js, which the page loads before. */
    createVerifiedFetch(options: {
      gateways: string[]
      routers: string[]
      allowInsecure: boolean
      allowLocal: boolean
    }): Promise<(url: string) => Promise<Response>>
    showImages(way: Way, names: string[], blockchain: string, origin: string): Promise<number>
  }
}

function addImage(): HTMLImageElement {
  return document.body.appendChild(document.createElement('img'))
}

/** Resolves when the image is decoded, from any source. */
function shown(image: HTMLImageElement): Promise<void> {
  return new Promise((resolve, reject) => {
    const check = () => (image.naturalWidth > 0 ? resolve() : reject(new Error('an image is broken')))
    if (image.src !== '' && image.complete) check()
    image.addEventListener('load', check)
    image.addEventListener('error', check)
  })
}

async function fillByHook(names: string[], blockchain: string): Promise<void> {
  const images = names.map((name) => {
    const image = addImage()
    image.className = blockchain
    Object.assign(image.dataset, { src: name, mimetype: 'image/png', type: 'blob' })
    return image
  })
  const all = Promise.all(images.map(shown))
  const outcomes = await window.hook(blockchain)
  const failed = outcomes.find(({ status }) => status !== 'filled')
  if (failed) throw failed.error
  await all
}

async function fillByVerifiedFetch(names: string[], origin: string): Promise<void> {
  const verifiedFetch = await window.createVerifiedFetch({
    gateways: [origin],
    routers: [origin],
    allowInsecure: true,
    allowLocal: true,
  })
  const show = async (name: string) => {
    const response = await verifiedFetch(`ipfs://${name}`)
    const image = addImage()
    image.src = URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: 'image/png' }))
    await shown(image)
  }
  await Promise.all(names.map(show))
}

async function fillPlainly(names: string[]): Promise<void> {
  const show = (name: string) => {
    const image = addImage()
    image.src = name
    return shown(image)
  }
  await Promise.all(names.map(show))
}

window.showImages = async (way, names, blockchain, origin) => {
  const started = performance.now()
  if (way === 'hook') await fillByHook(names, blockchain)
  else if (way === 'verified-fetch') await fillByVerifiedFetch(names, origin)
  else await fillPlainly(names)
  return performance.now() - started
}
