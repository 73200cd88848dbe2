"""Read eye tracking: folders of images or videos with gaze, and the exports of eye trackers."""
