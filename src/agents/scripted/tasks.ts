import type { Children } from "./children.ts";
import type { Step } from "./script.ts";
import { say } from "./session.ts";
import type { World } from "./session.ts";
import type { Notification } from "./turn.ts";

/** Tasks in the background. */
export interface Tasks {
  /** Starts one for a tool call and gives its id. */
  start(task: NonNullable<Step["background"]>, toolUseId: string): string;
  running(): number;
}

/** `onEnded` gets what begins the turn that tells of the end. */
export function createTasks(
  world: World,
  children: Children,
  onEnded: (notification: Notification) => void,
): Tasks {
  const running = new Map<string, string>();

  function tellRunning(): void {
    const tasks = [...running].map(([id, description]) => ({
      task_id: id,
      task_type: "local_bash",
      description,
    }));
    say(world, { type: "system", subtype: "background_tasks_changed", tasks });
  }

  function end(id: string, toolUseId: string, text: string): void {
    const summary = `Background command "${running.get(id) ?? ""}" completed (exit code 0)`;
    running.delete(id);
    const task = { task_id: id, tool_use_id: toolUseId };
    const patch = { status: "completed", end_time: world.now() };
    say(world, { type: "system", subtype: "task_updated", ...task, patch });
    const ended = { status: "completed", summary };
    say(world, { type: "system", subtype: "task_notification", ...task, ...ended });
    tellRunning();
    const row = `<task-notification>\n<task-id>${id}</task-id>\n<summary>${summary}</summary>\n</task-notification>`;
    onEnded({ row, text });
  }

  return {
    start(task, toolUseId) {
      const id = `task-${world.newId()}`;
      const { description } = task;
      running.set(id, description);
      tellRunning();
      const about = { description, is_backgrounded: true, task_type: "local_bash" };
      const ids = { task_id: id, tool_use_id: toolUseId };
      say(world, { type: "system", subtype: "task_started", ...ids, ...about });
      void children.start(task.ms).gone.then(() => {
        end(id, toolUseId, task.text);
      });
      return id;
    },
    running: () => running.size,
  };
}
