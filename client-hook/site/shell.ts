import type { ShellMessage } from './messages.ts'

/**
 * An empty document that a page of a site is written into. Its policy is of that page too: nothing is sent to a host, and frames
 * have `blob:` URLs only. So is its own address, so that no other reference means anything relative to it.
 */
const SHELL = `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="connect-src blob: data:; form-action 'none'; frame-src blob:">
<meta name="referrer" content="no-referrer"><body><script>
onmessage = ({ source, data, ports: [port] }) => {
  if (source !== parent || !port) return
  onmessage = null
  Function(data.siteScript)()()(port, data.siteScript)
}
parent.postMessage('shell', '*')
</script>`

/** The address of a new one, which tells its parent by the message `shell` that it is there. */
export function shellUrl(): string {
  return URL.createObjectURL(new Blob([SHELL], { type: 'text/html' }))
}

/** Starts the script in a shell, and returns the port to it. */
export function sendScript(shell: Window, siteScript: string): MessagePort {
  const { port1, port2 } = new MessageChannel()
  // An opaque origin cannot be named as target origin.
  shell.postMessage({ siteScript } satisfies ShellMessage, '*', [port2])
  return port1
}
