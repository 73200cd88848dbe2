// The page: its parts put to work.

import { wireActions } from "./actions.js";
import { keepFresh } from "./library.js";
import { wireObjectives } from "./objectives.js";
import { wireQueue } from "./queue.js";

wireActions();
wireObjectives();
wireQueue();
keepFresh();
