/** Keeps the screen of a phone on while bytes flow. Returns how to let go. */
export function holdWake(): () => void {
  let lock: WakeLockSentinel | undefined
  let over = false
  const ask = async () => {
    if (over || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return
    // A battery that is low refuses it, which stops nothing.
    lock = await navigator.wakeLock.request('screen').catch(() => undefined)
    if (over) void lock?.release()
  }
  // A lock is released when the page is hidden.
  document.addEventListener('visibilitychange', ask)
  void ask()
  return () => {
    over = true
    document.removeEventListener('visibilitychange', ask)
    void lock?.release()
  }
}
