import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { CLIENTS } from './install-clients.ts'

/** What a page needs to upload to the service. */
export interface UploadSettings {
  endpoint: string
  token: string
}

/** A page's script calls `start(file, settings)` when a file is chosen; `tell` puts text where the test sees it. */
const PAGE = `
  const tell = (text) => { document.title = text }
  const settings = () => JSON.parse(document.body.dataset.settings)
  document.querySelector('input').addEventListener('change', ({ target }) => start(target.files[0], settings()))
`

/** What a program does with tus-js-client, as its documentation has it. */
const TUS = `
  import { Upload } from 'tus-js-client'
  async function start(file, { endpoint, token }) {
    const upload = new Upload(file, {
      endpoint,
      chunkSize: 4 * 2 ** 20,
      headers: { Authorization: 'Bearer ' + token },
      metadata: { filename: file.name, filetype: file.type, blockchain: 'IPFS' },
      onChunkComplete: (_size, accepted) => tell('held ' + accepted),
      onSuccess: () => tell('done ' + upload.url.split('/').at(-1)),
      onError: (error) => tell('failed ' + error.message),
    })
    const [previous] = await upload.findPreviousUploads()
    if (previous) upload.resumeFromPreviousUpload(previous)
    upload.start()
  }
`

/** The same with Uppy and its plugin for tus. */
const UPPY = `
  import Uppy from '@uppy/core'
  import Tus from '@uppy/tus'
  function start(file, { endpoint, token }) {
    const uppy = new Uppy({ autoProceed: true, meta: { blockchain: 'IPFS' } })
    uppy.use(Tus, { endpoint, chunkSize: 4 * 2 ** 20, headers: { Authorization: 'Bearer ' + token } })
    uppy.on('upload-progress', (_file, { bytesUploaded }) => tell('held ' + bytesUploaded))
    uppy.on('upload-error', (_file, error) => tell('failed ' + error.message))
    uppy.on('upload-success', (_file, { uploadURL }) => tell('done ' + uploadURL.split('/').at(-1)))
    uppy.addFile({ name: file.name, type: file.type, data: file })
  }
`

/** A client's script, bundled with it as npm has it. */
export async function clientScript(client: 'tus-js-client' | 'Uppy'): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: (client === 'Uppy' ? UPPY : TUS) + PAGE,
      resolveDir: fileURLToPath(new URL('.', `file://${CLIENTS}`)),
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return outputFiles[0]?.text ?? ''
}
