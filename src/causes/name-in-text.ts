/** Pattern of the name of an object or a webhook in a message of an API server or a kubelet. */
export const NAME_IN_TEXT = '[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?';
