// Short messages about what has just happened, shown and announced once.
import { signal } from '@preact/signals'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'good' | 'bad' | 'note'
}

export const toasts = signal<readonly Toast[]>([])
let last = 0

export function say(text: string, tone: Toast['tone'] = 'note'): void {
  last += 1
  const id = last
  toasts.value = [...toasts.value.slice(-2), { id, text, tone }]
  setTimeout(() => dismiss(id), 6_000)
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id)
}

/** Copies text to the clipboard and confirms it. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    say(`${what} copied`, 'good')
  } catch {
    say('The browser did not allow copying. Select the text and copy it yourself.', 'bad')
  }
}
