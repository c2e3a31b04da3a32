/** Variables of an agent and of all that it starts: where it may ask, and as whom. */
export const DOOR_SOCKET = "HOLDFAST_AGENT_SOCKET";
export const DOOR_TOKEN = "HOLDFAST_AGENT_TOKEN";

/** What may be asked for, by its path. */
export const DOOR_PATHS = { send: "/send", restartContext: "/restart-context" } as const;
