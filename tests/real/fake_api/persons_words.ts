/** What a person has typed, without what agents write around it in the person's name. */

/** Folder, date, reminders, attachments: always between tags. */
export function personsWords(text: string): string {
  return text.replace(/<([\w-]+)(?:\s[^>]*)?>[\s\S]*?<\/\1>/g, "").trim();
}
