"""Following things from frame to frame, and telling when two tracks show the same one."""
